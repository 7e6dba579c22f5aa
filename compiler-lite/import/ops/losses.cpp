// SPDX-License-Identifier: Apache-2.0
// Loss operators of networks that were exported with their training head.
#include <fmt/core.h>

#include "compiler-lite/import/node_context.h"
#include "compiler-lite/import/ops/families.h"

namespace nestrt::compiler {
namespace {

Result<ValueId> total(NodeContext& node, ValueId x, ops::ReduceKind kind) {
  ops::Reduce reduce;
  reduce.kind = kind;
  reduce.keep_dims = false;
  for (int axis = 0; axis < node.shape(x).rank(); ++axis) reduce.axes.push_back(axis);
  return node.add(std::move(reduce), {x});
}

// Target classes and their weights. Ignored targets are replaced by class 0 with weight 0.
struct Targets {
  ValueId classes = kNoValue;
  ValueId weights = kNoValue;
};

Result<Targets> read_targets(NodeContext& node) {
  Targets targets;
  NESTRT_ASSIGN_OR_RETURN(targets.classes, node.input(1));
  ValueId ignored = kNoValue;
  if (node.has_attribute("ignore_index")) {
    const DataType type = node.type(targets.classes);
    const int64_t index = node.attribute("ignore_index", int64_t{0});
    NESTRT_ASSIGN_OR_RETURN(const ValueId at, node.scalar_of(type, static_cast<double>(index)));
    NESTRT_ASSIGN_OR_RETURN(const ValueId none, node.scalar_of(type, 0));
    NESTRT_ASSIGN_OR_RETURN(ignored, node.binary(ops::BinaryKind::kEqual, targets.classes, at));
    NESTRT_ASSIGN_OR_RETURN(targets.classes, node.add(ops::Select(), {ignored, none, targets.classes}));
  }
  if (node.has_input(2)) {
    NESTRT_ASSIGN_OR_RETURN(targets.weights, node.add(ops::Gather(), {node.optional_input(2), targets.classes}));
  }
  if (ignored == kNoValue) return targets;
  NESTRT_ASSIGN_OR_RETURN(const ValueId zero, node.scalar(0));
  NESTRT_ASSIGN_OR_RETURN(const ValueId one, node.scalar(1));
  NESTRT_ASSIGN_OR_RETURN(
      targets.weights, node.add(ops::Select(), {ignored, zero, targets.weights == kNoValue ? one : targets.weights}));
  return targets;
}

// Returns -log_probabilities[n, target[n, ...], ...], weighted and reduced.
Result<ValueId> likelihood_loss(NodeContext& node, ValueId log_probabilities) {
  const std::string reduction = node.attribute("reduction", "mean");
  if (reduction != "mean" && reduction != "sum" && reduction != "none")
    return node.invalid(fmt::format("reduction '{}' is unknown", reduction));
  NESTRT_ASSIGN_OR_RETURN(const Targets targets, read_targets(node));
  const Shape shape = node.shape(targets.classes);
  Shape with_class;
  for (int axis = 0; axis < shape.rank(); ++axis) {
    if (axis == 1) with_class.push_back(1);
    with_class.push_back(shape[axis]);
  }
  if (shape.rank() == 1) with_class.push_back(1);
  if (shape.rank() < 1 || node.shape(log_probabilities).rank() != with_class.rank())
    return node.invalid("the target must have the shape of the input without its classes");
  NESTRT_ASSIGN_OR_RETURN(const ValueId indices, node.reshape(targets.classes, with_class));
  NESTRT_ASSIGN_OR_RETURN(ValueId loss, node.add(ops::GatherElements{.axis = 1}, {log_probabilities, indices}));
  NESTRT_ASSIGN_OR_RETURN(loss, node.reshape(loss, shape));
  NESTRT_ASSIGN_OR_RETURN(loss, node.unary(ops::UnaryKind::kNeg, loss));
  if (targets.weights != kNoValue) {
    NESTRT_ASSIGN_OR_RETURN(loss, node.binary(ops::BinaryKind::kMul, loss, targets.weights));
  }
  if (reduction == "none") return loss;
  if (reduction == "sum") return total(node, loss, ops::ReduceKind::kSum);
  if (targets.weights == kNoValue) return total(node, loss, ops::ReduceKind::kMean);
  NESTRT_ASSIGN_OR_RETURN(loss, total(node, loss, ops::ReduceKind::kSum));
  NESTRT_ASSIGN_OR_RETURN(const ValueId weight, total(node, targets.weights, ops::ReduceKind::kSum));
  return node.binary(ops::BinaryKind::kDiv, loss, weight);
}

Status import_likelihood_loss(NodeContext& node) {
  NESTRT_ASSIGN_OR_RETURN(const ValueId x, node.input(0));
  return node.set_output(likelihood_loss(node, x));
}

Status import_cross_entropy_loss(NodeContext& node) {
  NESTRT_ASSIGN_OR_RETURN(const ValueId scores, node.input(0));
  NESTRT_ASSIGN_OR_RETURN(const ValueId log_probabilities, node.add(ops::Softmax{.axis = 1, .log = true}, {scores}));
  NESTRT_RETURN_IF_ERROR(node.set_output(1, log_probabilities));
  return node.set_output(likelihood_loss(node, log_probabilities));
}

constexpr ImportRule kLossesRules[] = {
    {"NegativeLogLikelihoodLoss", import_likelihood_loss, 12},
    {"SoftmaxCrossEntropyLoss", import_cross_entropy_loss, 12},
};

}  // namespace

std::span<const ImportRule> loss_rules() { return kLossesRules; }

}  // namespace nestrt::compiler
