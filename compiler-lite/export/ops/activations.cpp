#include "compiler-lite/export/ops/activations.h"

#include <cmath>
#include <numbers>
#include <string_view>

namespace nestrt::compiler {
namespace {

using ops::UnaryKind;

// ONNX's word for a function that takes no attributes; empty where there is none in every opset.
std::string_view plain_type(UnaryKind kind) {
  switch (kind) {
    case UnaryKind::kRelu:
      return "Relu";
    case UnaryKind::kSigmoid:
      return "Sigmoid";
    case UnaryKind::kTanh:
      return "Tanh";
    case UnaryKind::kSoftplus:
      return "Softplus";
    case UnaryKind::kSoftsign:
      return "Softsign";
    case UnaryKind::kAbs:
      return "Abs";
    case UnaryKind::kNeg:
      return "Neg";
    case UnaryKind::kExp:
      return "Exp";
    case UnaryKind::kLog:
      return "Log";
    case UnaryKind::kSqrt:
      return "Sqrt";
    case UnaryKind::kReciprocal:
      return "Reciprocal";
    case UnaryKind::kErf:
      return "Erf";
    case UnaryKind::kSign:
      return "Sign";
    case UnaryKind::kFloor:
      return "Floor";
    case UnaryKind::kCeil:
      return "Ceil";
    case UnaryKind::kRound:
      return "Round";
    case UnaryKind::kSin:
      return "Sin";
    case UnaryKind::kCos:
      return "Cos";
    case UnaryKind::kTan:
      return "Tan";
    case UnaryKind::kAsin:
      return "Asin";
    case UnaryKind::kAcos:
      return "Acos";
    case UnaryKind::kAtan:
      return "Atan";
    case UnaryKind::kSinh:
      return "Sinh";
    case UnaryKind::kCosh:
      return "Cosh";
    case UnaryKind::kAsinh:
      return "Asinh";
    case UnaryKind::kAcosh:
      return "Acosh";
    case UnaryKind::kAtanh:
      return "Atanh";
    case UnaryKind::kLogicalNot:
      return "Not";
    case UnaryKind::kIsNan:
      return "IsNaN";
    default:
      return "";
  }
}

// One limit at least is stated, since a Clip without limits is none.
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

// x / 2 * (1 + erf(x / sqrt(2))), or with `tanh` x / 2 * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 x^3))).
std::string write_gelu(NodeWriter& node, const std::string& x, bool tanh) {
  std::string inner = node.write("Mul", {x, node.scalar(1 / std::numbers::sqrt2_v<float>)});
  if (tanh) {
    const std::string cube = node.write("Mul", {node.write("Mul", {x, x}), x});
    const std::string sum = node.write("Add", {x, node.write("Mul", {cube, node.scalar(0.044715f)})});
    inner = node.write("Mul", {sum, node.scalar(std::sqrt(2 / std::numbers::pi_v<float>))});
  }
  const std::string gate = node.write("Add", {node.write(tanh ? "Tanh" : "Erf", {inner}), node.scalar(1.0f)});
  return node.write("Mul", {node.write("Mul", {x, node.scalar(0.5f)}), gate});
}

UnaryKind unary_kind(ops::ActivationKind kind) {
  switch (kind) {
    case ops::ActivationKind::kClip:
      return UnaryKind::kClip;
    case ops::ActivationKind::kLeakyRelu:
      return UnaryKind::kLeakyRelu;
    case ops::ActivationKind::kHardSigmoid:
      return UnaryKind::kHardSigmoid;
    case ops::ActivationKind::kHardSwish:
      return UnaryKind::kHardSwish;
    case ops::ActivationKind::kSigmoid:
      return UnaryKind::kSigmoid;
    case ops::ActivationKind::kTanh:
      return UnaryKind::kTanh;
    case ops::ActivationKind::kSilu:
      return UnaryKind::kSilu;
    default:
      return UnaryKind::kRelu;
  }
}

}  // namespace

std::string write_unary(NodeWriter& node, UnaryKind kind, const std::string& x, DataType type, float alpha,
                        float beta) {
  switch (kind) {
    case UnaryKind::kClip:
      return write_clip(node, x, type, alpha, beta);
    case UnaryKind::kLeakyRelu:
      return node.write("LeakyRelu", {x}, {{"alpha", alpha}});
    case UnaryKind::kHardSigmoid:
      return node.write("HardSigmoid", {x}, {{"alpha", alpha}, {"beta", beta}});
    case UnaryKind::kHardSwish:
      return write_hard_swish(node, x);
    case UnaryKind::kSilu:
      return times(node, x, node.write("Sigmoid", {x}));
    case UnaryKind::kElu:
      return node.write("Elu", {x}, {{"alpha", alpha}});
    case UnaryKind::kSelu:
      return node.write("Selu", {x}, {{"alpha", alpha}, {"gamma", beta}});
    case UnaryKind::kCelu:
      return node.write("Celu", {x}, {{"alpha", alpha}});
    case UnaryKind::kThresholdedRelu:
      return node.write("ThresholdedRelu", {x}, {{"alpha", alpha}});
    case UnaryKind::kShrink:
      return node.write("Shrink", {x}, {{"lambd", alpha}, {"bias", beta}});
    case UnaryKind::kGelu:
      return write_gelu(node, x, alpha == 1.0f);
    case UnaryKind::kMish:
      return times(node, x, node.write("Tanh", {node.write("Softplus", {x})}));
    case UnaryKind::kIsInf:
      return node.write("IsInf", {x}, {{"detect_negative", alpha != 0}, {"detect_positive", beta != 0}});
    default:
      return node.write(plain_type(kind), {x});
  }
}

std::string write_activation(NodeWriter& node, const ops::Activation& activation, const std::string& x) {
  if (activation.kind == ops::ActivationKind::kInvalidIndex) return x;
  return write_unary(node, unary_kind(activation.kind), x, DataType::kF32, activation.alpha, activation.beta);
}

}  // namespace nestrt::compiler
