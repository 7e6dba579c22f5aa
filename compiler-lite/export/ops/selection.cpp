// SPDX-License-Identifier: Apache-2.0
#include "compiler-lite/export/onnx_numbers.h"
#include "compiler-lite/export/ops/families.h"
#include "compiler-lite/import/onnx/onnx_names.h"

namespace nestrt::compiler {
namespace {

Result<std::string> write_top_k(NodeWriter& node) {
  const auto& op = node.attributes<ops::TopK>();
  return node
      .write_all("TopK", {node.real(0), node.constant({op.count})},
                 {{"axis", int64_t{op.axis}}, {"largest", !op.smallest}}, {true, true})
      .back();
}

// Writes a ScatterND whose index tuples contain one index.
Result<std::string> write_scatter(NodeWriter& node) {
  const ops::ScatterKind kind = node.attributes<ops::Scatter>().kind;
  WrittenAttributes attributes;
  if (kind == ops::ScatterKind::kMin || kind == ops::ScatterKind::kMax)
    return node.unsupported("ScatterND with min or max requires opset 18");
  if (kind != ops::ScatterKind::kReplace) {
    if (node.opset() < 16) return node.unsupported("ScatterND with a reduction requires opset 16");
    attributes.emplace_back("reduction", onnx_name(kScatterReductions, kind));
  }
  std::string indices = node.input(1);
  if (node.operand(1).type != DataType::kS64)
    indices = node.write("Cast", {indices}, {{"to", int64_t{onnx_number(DataType::kS64)}}});
  indices = node.write("Unsqueeze", {indices, node.constant({1})});
  return node.write("ScatterND", {node.real(0), indices, node.real(2)}, std::move(attributes));
}

Result<std::string> write_non_max_suppression(NodeWriter& node) {
  return node.unsupported("the number of rows of its ONNX output depends on the data");
}

constexpr ExportRule kSelectionExportRules[] = {
    {ops::Kind::kTopK, write_top_k},
    {ops::Kind::kScatter, write_scatter},
    {ops::Kind::kNonMaxSuppression, write_non_max_suppression},
};

}  // namespace

std::span<const ExportRule> selection_export_rules() { return kSelectionExportRules; }

}  // namespace nestrt::compiler
