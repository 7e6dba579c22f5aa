// SPDX-License-Identifier: Apache-2.0
#include "compiler-lite/export/onnx_numbers.h"
#include "compiler-lite/export/ops/activations.h"
#include "compiler-lite/export/ops/families.h"

namespace nestrt::compiler {
namespace {

Result<std::string> write_unary_operator(NodeWriter& node) {
  const auto& op = node.attributes<ops::Unary>();
  if (op.kind == ops::UnaryKind::kBitwiseNot) return node.unsupported("bitwise operators require opset 18");
  const DataType type = node.operand(0).quantization ? DataType::kF32 : node.operand(0).type;
  return write_unary(node, op.kind, node.real(0), type, op.alpha, op.beta);
}

Result<std::string> write_cast(NodeWriter& node) {
  return node.write("Cast", {node.input(0)}, {{"to", int64_t{onnx_number(node.attributes<ops::Cast>().to)}}});
}

constexpr ExportRule kUnaryExportRules[] = {
    {ops::Kind::kUnary, write_unary_operator},
    {ops::Kind::kCast, write_cast},
};

}  // namespace

std::span<const ExportRule> unary_export_rules() { return kUnaryExportRules; }

}  // namespace nestrt::compiler
