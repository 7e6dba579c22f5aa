// SPDX-License-Identifier: Apache-2.0
#include "compiler-lite/passes/univariate.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "compiler-lite/passes/rewrite.h"

namespace nestrt::compiler {
namespace {

using ops::BinaryKind;
using ops::UnaryKind;

constexpr size_t kMaxNodes = 16;

// Returns NaN for functions that activations do not use.
double apply_unary(const ops::Unary& op, double x) {
  switch (op.kind) {
    case UnaryKind::kRelu:
      return std::max(x, 0.0);
    case UnaryKind::kClip:
      return std::min(std::max(x, double{op.alpha}), double{op.beta});
    case UnaryKind::kLeakyRelu:
      return x < 0 ? op.alpha * x : x;
    case UnaryKind::kElu:
      return x < 0 ? op.alpha * std::expm1(x) : x;
    case UnaryKind::kHardSigmoid:
      return std::clamp(op.alpha * x + op.beta, 0.0, 1.0);
    case UnaryKind::kSigmoid:
      return 1 / (1 + std::exp(-x));
    case UnaryKind::kTanh:
      return std::tanh(x);
    case UnaryKind::kSoftplus:
      return std::max(x, 0.0) + std::log1p(std::exp(-std::abs(x)));
    case UnaryKind::kAbs:
      return std::abs(x);
    case UnaryKind::kNeg:
      return -x;
    case UnaryKind::kExp:
      return std::exp(x);
    case UnaryKind::kLog:
      return std::log(x);
    case UnaryKind::kSqrt:
      return std::sqrt(x);
    case UnaryKind::kReciprocal:
      return 1 / x;
    case UnaryKind::kErf:
      return std::erf(x);
    case UnaryKind::kLogicalNot:
      return x == 0 ? 1 : 0;
    default:
      return std::numeric_limits<double>::quiet_NaN();
  }
}

double arithmetic(BinaryKind kind, double a, double b) {
  switch (kind) {
    case BinaryKind::kAdd:
      return a + b;
    case BinaryKind::kSub:
      return a - b;
    case BinaryKind::kMul:
      return a * b;
    case BinaryKind::kDiv:
      return a / b;
    case BinaryKind::kPow:
      return std::pow(a, b);
    case BinaryKind::kMin:
      return std::min(a, b);
    case BinaryKind::kMax:
      return std::max(a, b);
    case BinaryKind::kLess:
      return a < b ? 1 : 0;
    case BinaryKind::kLessOrEqual:
      return a <= b ? 1 : 0;
    case BinaryKind::kGreater:
      return a > b ? 1 : 0;
    case BinaryKind::kGreaterOrEqual:
      return a >= b ? 1 : 0;
    default:
      return std::numeric_limits<double>::quiet_NaN();
  }
}

double apply_binary(const ops::Binary& op, double a, double b) {
  const double result = arithmetic(op.kind, a, b);
  return op.activation.kind == ops::ActivationKind::kNone ? result : apply_unary(as_unary(op.activation), result);
}

bool is_elementwise(const Graph& graph, const Node& node) {
  if (node.outputs.size() != 1) return false;
  const auto* cast = node.as<ops::Cast>();
  const bool from_bool = cast != nullptr && graph.value(node.inputs[0]).type == DataType::kBool;
  const DataType type = graph.value(node.outputs[0]).type;
  return (from_bool || node.as<ops::Unary>() || node.as<ops::Binary>() || node.as<ops::Select>()) &&
         (type == DataType::kF32 || type == DataType::kBool);
}

// Returns false for operators that compute only polynomials; compositions of these are not activations.
bool can_bend(const Node& node) {
  const auto* binary = node.as<ops::Binary>();
  return binary == nullptr || binary->activation.kind != ops::ActivationKind::kNone ||
         (binary->kind != BinaryKind::kAdd && binary->kind != BinaryKind::kSub && binary->kind != BinaryKind::kMul);
}

// Returns the common value of all elements of a constant. Larger constants would take too long to read for every node.
std::optional<float> small_constant(const Graph& graph, ValueId id) {
  constexpr int64_t kMaxElements = 1024;
  if (id == kNoValue || graph.value(id).shape.num_elements() > kMaxElements) return std::nullopt;
  return uniform_value(graph, id);
}

// Returns true if only `nodes` read the node's output.
bool is_inner(const Graph& graph, const Node& node, const std::vector<const Node*>& nodes) {
  const ValueId output = node.outputs[0];
  return !graph.is_output(output) && std::ranges::all_of(graph.users(output), [&](const Node* user) {
    return std::ranges::find(nodes, user) != nodes.end();
  });
}

// Returns the last node that produces an operand of `nodes` and can be added to them, or null.
const Node* next_inner(const Graph& graph, const std::vector<const Node*>& nodes, const Univariate::Order& order) {
  const Node* next = nullptr;
  const Shape& shape = graph.value(nodes.front()->outputs[0]).shape;
  for (const Node* node : nodes) {
    for (const ValueId input : node->inputs) {
      const Node* producer = input == kNoValue ? nullptr : graph.producer(input);
      if (producer == nullptr || !order.contains(producer) || std::ranges::find(nodes, producer) != nodes.end())
        continue;
      if (next != nullptr && order.at(producer) <= order.at(next)) continue;
      const bool fits = is_elementwise(graph, *producer) && graph.value(producer->outputs[0]).shape == shape;
      if (fits && is_inner(graph, *producer, nodes)) next = producer;
    }
  }
  return next;
}

}  // namespace

std::vector<Univariate> Univariate::all_ending_in(const Graph& graph, const Node& root, const Order& order) {
  std::vector<Univariate> found;
  if (!is_elementwise(graph, root) || graph.value(root.outputs[0]).type != DataType::kF32) return found;
  // Nodes are added in reverse topological order, so that a function is complete before the producer of its variable is
  // added.
  std::vector<const Node*> nodes = {&root};
  bool bends = can_bend(root);
  while (nodes.size() < kMaxNodes) {
    const Node* next = next_inner(graph, nodes, order);
    if (next == nullptr) break;
    nodes.push_back(next);
    bends = bends || can_bend(*next);
    if (!bends) continue;
    if (auto function = of(graph, nodes)) found.push_back(std::move(*function));
  }
  return found;
}

// `nodes`: in reverse topological order. Returns nullopt unless, apart from constants and each other's outputs, they
// read exactly one value, an f32 tensor with the shape of their results.
std::optional<Univariate> Univariate::of(const Graph& graph, const std::vector<const Node*>& nodes) {
  Univariate result;
  std::vector<ValueId> constants;
  for (const Node* node : nodes) {
    for (const ValueId input : node->inputs) {
      const Node* const producer = input == kNoValue ? nullptr : graph.producer(input);
      if (input == result.variable_ && input != kNoValue) continue;
      if (std::ranges::find(constants, input) != constants.end()) continue;
      if (producer != nullptr && std::ranges::find(nodes, producer) != nodes.end()) continue;
      if (const auto constant = small_constant(graph, input)) {
        constants.push_back(input);
        result.constants_.push_back(*constant);
        continue;
      }
      const bool is_variable = result.variable_ == kNoValue && input != kNoValue &&
                               graph.value(input).type == DataType::kF32 &&
                               graph.value(input).shape == graph.value(nodes.front()->outputs[0]).shape;
      if (!is_variable) return std::nullopt;
      result.variable_ = input;
    }
  }
  if (result.variable_ == kNoValue) return std::nullopt;
  const auto index_of = [&](ValueId input) -> size_t {
    if (input == result.variable_) return 0;
    const auto constant = std::ranges::find(constants, input);
    if (constant != constants.end()) return 1 + static_cast<size_t>(constant - constants.begin());
    const auto producer = std::ranges::find(nodes, graph.producer(input));
    return constants.size() + static_cast<size_t>(nodes.end() - producer);
  };
  for (auto node = nodes.rbegin(); node != nodes.rend(); ++node) {
    Step& step = result.steps_.emplace_back();
    step.attributes = &(*node)->attributes;
    for (const ValueId input : (*node)->inputs) step.operands.push_back(index_of(input));
  }
  return result;
}

double Univariate::operator()(double x) const {
  std::vector<double> values = {x};
  values.insert(values.end(), constants_.begin(), constants_.end());
  for (const Step& step : steps_) {
    const auto operand = [&](size_t index) { return values[step.operands[index]]; };
    double result = operand(0);  // of Cast
    if (const auto* unary = std::get_if<ops::Unary>(step.attributes)) result = apply_unary(*unary, operand(0));
    if (const auto* binary = std::get_if<ops::Binary>(step.attributes))
      result = apply_binary(*binary, operand(0), operand(1));
    if (std::holds_alternative<ops::Select>(*step.attributes)) result = operand(0) != 0 ? operand(1) : operand(2);
    values.push_back(result);
  }
  return values.back();
}

}  // namespace nestrt::compiler
