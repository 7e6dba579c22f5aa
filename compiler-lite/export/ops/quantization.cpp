// SPDX-License-Identifier: Apache-2.0
#include "compiler-lite/export/ops/activations.h"
#include "compiler-lite/export/ops/families.h"

namespace nestrt::compiler {
namespace {

// Writes the computation on real numbers, which is the identity. The exporter adds a QuantizeLinear after a quantized
// result and a DequantizeLinear before a quantized operand.
Result<std::string> write_real(NodeWriter& node) { return node.real(0); }

Result<std::string> write_requantize(NodeWriter& node) {
  return write_activation(node, node.attributes<ops::Requantize>().activation, node.real(0));
}

constexpr ExportRule kRules[] = {
    {ops::Kind::kQuantize, write_real},
    {ops::Kind::kDequantize, write_real},
    {ops::Kind::kRequantize, write_requantize},
};

}  // namespace

std::span<const ExportRule> quantization_export_rules() { return kRules; }

}  // namespace nestrt::compiler
