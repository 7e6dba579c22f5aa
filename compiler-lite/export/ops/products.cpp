// SPDX-License-Identifier: Apache-2.0
#include "compiler-lite/export/ops/products.h"

#include "compiler-lite/export/export.h"
#include "compiler-lite/export/stored_constants.h"

namespace nestrt::compiler {
namespace {

constexpr size_t kInput = 0, kWeights = 1, kBias = 2;

plan::Quantization bias_quantization(const NodeWriter& node) {
  plan::Quantization result;
  const float step = scales_of(*node.operand(kInput).quantization).front();
  for (const float scale : scales_of(*node.operand(kWeights).quantization)) result.scales.push_back(step * scale);
  result.zero_points.assign(result.scales.size(), 0);
  if (result.scales.size() > 1) result.axis = 0;
  return result;
}

std::string written_bias(NodeWriter& node) {
  const Value& bias = node.operand(kBias);
  const bool is_integer = bias.type == DataType::kS32;
  if (!is_integer) return node.form().float_biases && bias.is_constant() ? node.input(kBias) : node.real(kBias);
  const plan::Quantization quantization = bias.quantization ? *bias.quantization : bias_quantization(node);
  if (node.form().float_biases && bias.is_constant()) return node.floats(dequantized_elements(bias, quantization));
  return node.dequantized(kBias, quantization);
}

}  // namespace

std::vector<std::string> product_operands(NodeWriter& node, bool transposes) {
  std::vector<std::string> operands = {node.real(kInput),
                                       transposes ? node.transposed_real(kWeights) : node.real(kWeights)};
  if (node.has_input(kBias)) operands.push_back(written_bias(node));
  return operands;
}

}  // namespace nestrt::compiler
