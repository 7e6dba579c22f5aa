// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "compiler-lite/export/export.h"
#include "compiler-lite/export/ops/families.h"

namespace nestrt::compiler {
namespace {

bool flattens(const Shape& x, const Shape& y) {
  return x.rank() > 2 && y.rank() == 2 && y[0] == x[0] && y.num_elements() > 0;
}

// Writes a Reshape, or an alias if the shape stays the same. For integers, a Reshape to the same shape only adds or
// removes a quantization, which ONNX does not represent.
Result<std::string> write_reshape(NodeWriter& node) {
  const std::vector<int64_t>& shape = node.attributes<ops::Reshape>().shape;
  if (node.operand(0).shape == node.result().shape) return node.input(0);
  if (std::find(shape.begin(), shape.end(), 0) != shape.end() && node.opset() < 14)
    return node.unsupported("Reshape to a tensor without elements needs opset 14");
  if (node.form().flatten && flattens(node.operand(0).shape, node.result().shape))
    return node.write("Flatten", {node.real(0)}, {{"axis", int64_t{1}}});
  const bool has_zero = std::find(shape.begin(), shape.end(), 0) != shape.end();
  WrittenAttributes attributes;
  if (has_zero || (node.form().all_attributes && node.opset() >= 14)) attributes.emplace_back("allowzero", has_zero);
  return node.write("Reshape", {node.real(0), node.constant(shape)}, std::move(attributes));
}

constexpr ExportRule kShapeExportRules[] = {{ops::Kind::kReshape, write_reshape}};

}  // namespace

std::span<const ExportRule> shape_export_rules() { return kShapeExportRules; }

}  // namespace nestrt::compiler
