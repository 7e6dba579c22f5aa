// SPDX-License-Identifier: Apache-2.0
#include "compiler-lite/export/ops/activations.h"
#include "compiler-lite/export/ops/families.h"
#include "compiler-lite/import/onnx/onnx_names.h"

namespace nestrt::compiler {
namespace {

using ops::BinaryKind;

std::string_view type_of(BinaryKind kind) {
  std::string_view name = onnx_name(kBinaryNames, kind);
  if (name.empty()) name = onnx_name(kVariadicNames, kind);
  return name.empty() ? onnx_name(kOtherBinaryNames, kind) : name;
}

Result<std::string> write_binary(NodeWriter& node) {
  const auto& op = node.attributes<ops::Binary>();
  WrittenAttributes attributes;
  if (op.kind == BinaryKind::kMod && node.operand(0).type == DataType::kF32)
    return node.unsupported("ONNX has no float remainder with the divisor's sign");
  if (op.kind >= BinaryKind::kBitwiseAnd)
    return node.unsupported("bitwise operators require opset 18, and ONNX shifts only unsigned integers");
  if (op.kind == BinaryKind::kFmod) attributes.emplace_back("fmod", true);
  const std::string y = node.write(type_of(op.kind), {node.real(0), node.real(1)}, std::move(attributes));
  return write_activation(node, op.activation, y);
}

Result<std::string> write_select(NodeWriter& node) {
  return node.write("Where", {node.input(0), node.input(1), node.input(2)});
}

constexpr ExportRule kBinaryExportRules[] = {
    {ops::Kind::kBinary, write_binary},
    {ops::Kind::kSelect, write_select},
};

}  // namespace

std::span<const ExportRule> binary_export_rules() { return kBinaryExportRules; }

}  // namespace nestrt::compiler
