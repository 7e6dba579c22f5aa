// SPDX-License-Identifier: Apache-2.0
#include "compiler-lite/export/ops/products.h"

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

}  // namespace

std::vector<std::string> product_operands(NodeWriter& node) {
  std::vector<std::string> operands = node.reals(kBias);
  if (!node.has_input(kBias)) return operands;
  const Value& bias = node.operand(kBias);
  if (bias.type == DataType::kS32 && !bias.quantization)
    operands.push_back(node.dequantize(node.input(kBias), bias_quantization(node), bias.type));
  else
    operands.push_back(node.real(kBias));
  return operands;
}

}  // namespace nestrt::compiler
