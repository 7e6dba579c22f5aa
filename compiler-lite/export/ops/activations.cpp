// SPDX-License-Identifier: Apache-2.0
#include "compiler-lite/export/ops/activations.h"

#include <cmath>
#include <numbers>

#include "compiler-lite/import/onnx/onnx_names.h"
#include "compiler-lite/passes/rewrite.h"

namespace nestrt::compiler {
namespace {

using ops::UnaryKind;

// Writes at least one limit, because a Clip without limits does nothing.
std::string write_clip(NodeWriter& node, const std::string& x, DataType type, float low, float high) {
  const bool open_above = std::isinf(high) && high > 0;
  const bool open_below = std::isinf(low) && low < 0 && !open_above;
  std::vector<std::string> inputs = {x, open_below ? "" : node.scalar(type, low)};
  if (!open_above) inputs.push_back(node.scalar(type, high));
  return node.write("Clip", std::move(inputs));
}

std::string times(NodeWriter& node, const std::string& x, const std::string& gate) {
  return node.write("Mul", {x, gate});
}

std::string write_hard_swish(NodeWriter& node, const std::string& x) {
  if (node.opset() >= 14) return node.write("HardSwish", {x});
  return times(node, x, node.write("HardSigmoid", {x}, {{"alpha", 1.0f / 6.0f}, {"beta", 0.5f}}));
}

// Before opset 20 writes x / 2 * (1 + erf(x / sqrt(2))), or with `tanh` x / 2 * (1 + tanh(sqrt(2 / pi) * (x + 0.044715
// x^3))).
std::string write_gelu(NodeWriter& node, const std::string& x, bool tanh) {
  if (node.opset() >= 20) return node.write("Gelu", {x}, {{"approximate", tanh ? "tanh" : "none"}});
  std::string inner = node.write("Mul", {x, node.scalar(1 / std::numbers::sqrt2_v<float>)});
  if (tanh) {
    const std::string cube = node.write("Mul", {node.write("Mul", {x, x}), x});
    const std::string sum = node.write("Add", {x, node.write("Mul", {cube, node.scalar(0.044715f)})});
    inner = node.write("Mul", {sum, node.scalar(std::sqrt(2 / std::numbers::pi_v<float>))});
  }
  const std::string gate = node.write("Add", {node.write(tanh ? "Tanh" : "Erf", {inner}), node.scalar(1.0f)});
  return node.write("Mul", {node.write("Mul", {x, node.scalar(0.5f)}), gate});
}

// Writes a node with one input and the given attributes.
std::string write_named(NodeWriter& node, const OnnxName<UnaryKind>& op, const std::string& x, float alpha,
                        float beta) {
  WrittenAttributes attributes;
  if (!op.alpha.name.empty()) attributes.emplace_back(op.alpha.name, alpha);
  if (!op.beta.name.empty()) attributes.emplace_back(op.beta.name, beta);
  return node.write(op.name, {x}, std::move(attributes));
}

}  // namespace

std::string write_unary(NodeWriter& node, UnaryKind kind, const std::string& x, DataType type, float alpha,
                        float beta) {
  switch (kind) {
    case UnaryKind::kClip:
      return write_clip(node, x, type, alpha, beta);
    case UnaryKind::kHardSwish:
      return write_hard_swish(node, x);
    case UnaryKind::kSilu:
      return times(node, x, node.write("Sigmoid", {x}));
    case UnaryKind::kGelu:
      return write_gelu(node, x, alpha == 1.0f);
    case UnaryKind::kMish:
      if (node.opset() >= 18) return node.write("Mish", {x});
      return times(node, x, node.write("Tanh", {node.write("Softplus", {x})}));
    case UnaryKind::kIsInf:
      return node.write("IsInf", {x}, {{"detect_negative", alpha != 0}, {"detect_positive", beta != 0}});
    default:
      return write_named(node, *find_kind(kUnaryNames, kind), x, alpha, beta);
  }
}

std::string write_activation(NodeWriter& node, const ops::Activation& activation, const std::string& x) {
  if (activation.kind == ops::ActivationKind::kNone) return x;
  const ops::Unary unary = as_unary(activation);
  return write_unary(node, unary.kind, x, DataType::kF32, unary.alpha, unary.beta);
}

}  // namespace nestrt::compiler
