// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <algorithm>

#include "compiler-lite/import/node_context.h"
#include "compiler-lite/import/ops/families.h"

namespace nestrt::compiler {
namespace {

// Resolves the target shape of Reshape. 0 copies the input's dimension unless allowzero is set; one -1 is computed from
// the number of elements.
Result<Shape> resolve_target(NodeContext& node, const Shape& input, const std::vector<int64_t>& target) {
  if (target.size() > static_cast<size_t>(Shape::kMaxRank)) {
    return node.unsupported(
        fmt::format("rank {} is too high; at most {} is supported", target.size(), Shape::kMaxRank));
  }
  const bool zeros = node.flag("allowzero", false);
  Shape shape;
  int open_axis = -1;
  int64_t known = 1;
  for (int axis = 0; axis < static_cast<int>(target.size()); ++axis) {
    int64_t dim = target[static_cast<size_t>(axis)];
    if (dim == 0 && !zeros) {
      if (axis >= input.rank()) return node.invalid("shape has a 0 for an axis that the input does not have");
      dim = input[axis];
    }
    if (dim < -1 || (dim == -1 && open_axis >= 0)) return node.invalid("shape may contain one -1 and no smaller value");
    if (dim == -1) open_axis = axis;
    shape.push_back(dim == -1 ? 1 : dim);
    if (__builtin_mul_overflow(known, shape[axis], &known)) return node.invalid("shape overflows");
  }
  const int64_t elements = input.num_elements();
  if (open_axis >= 0 && known != 0) shape[open_axis] = elements / known;
  if (open_axis >= 0 ? known == 0 || elements % known != 0 : known != elements) {
    return node.invalid(fmt::format("shape {} does not match the {} elements of the input ({})", shape.to_string(),
                                    elements, input.to_string()));
  }
  return shape;
}

Status reshape_to(NodeContext& node, const std::vector<int64_t>& target) {
  NESTRT_ASSIGN_OR_RETURN(const ValueId x, node.input(0));
  NESTRT_ASSIGN_OR_RETURN(const Shape shape, resolve_target(node, node.shape(x), target));
  return node.set_output(node.reshape(x, shape));
}

Status import_reshape(NodeContext& node) {
  NESTRT_ASSIGN_OR_RETURN(const std::vector<int64_t> target, node.constant_ints(1, "shape"));
  return reshape_to(node, target);
}

Status import_flatten(NodeContext& node) {
  NESTRT_ASSIGN_OR_RETURN(const ValueId x, node.input(0));
  const Shape shape = node.shape(x);
  const int64_t stated = node.attribute("axis", int64_t{1});
  // Imports Flatten. The axis may equal the rank: each element then becomes a row.
  if (stated < -shape.rank() || stated > shape.rank()) return node.invalid(fmt::format("axis {} is outside", stated));
  const int axis = static_cast<int>(stated < 0 ? stated + shape.rank() : stated);
  return node.set_output(node.reshape(x, {shape.product(0, axis), shape.product(axis, shape.rank())}));
}

Status import_squeeze(NodeContext& node) {
  NESTRT_ASSIGN_OR_RETURN(const ValueId x, node.input(0));
  const Shape shape = node.shape(x);
  NESTRT_ASSIGN_OR_RETURN(const std::vector<int64_t> stated, node.stated_axes());
  NESTRT_ASSIGN_OR_RETURN(const std::vector<int> axes, node.axes(stated, shape.rank()));
  Shape result;
  for (int axis = 0; axis < shape.rank(); ++axis) {
    const bool named = std::find(axes.begin(), axes.end(), axis) != axes.end();
    if (named && shape[axis] != 1)
      return node.invalid(fmt::format("axis {} of shape {} is not of size 1", axis, shape.to_string()));
    if (!(named || (axes.empty() && shape[axis] == 1))) result.push_back(shape[axis]);
  }
  return node.set_output(node.reshape(x, result));
}

Status import_unsqueeze(NodeContext& node) {
  NESTRT_ASSIGN_OR_RETURN(const ValueId x, node.input(0));
  const Shape shape = node.shape(x);
  NESTRT_ASSIGN_OR_RETURN(const std::vector<int64_t> stated, node.stated_axes());
  const size_t rank = static_cast<size_t>(shape.rank()) + stated.size();
  if (rank > static_cast<size_t>(Shape::kMaxRank))
    return node.unsupported(fmt::format("more than {} axes", Shape::kMaxRank));
  NESTRT_ASSIGN_OR_RETURN(const std::vector<int> axes, node.axes(stated, static_cast<int>(rank)));
  Shape result;
  int next = 0;
  for (int axis = 0; axis < static_cast<int>(rank); ++axis) {
    const bool added = std::find(axes.begin(), axes.end(), axis) != axes.end();
    result.push_back(added ? 1 : shape[next++]);
  }
  return node.set_output(node.reshape(x, result));
}

Status import_identity(NodeContext& node) {
  NESTRT_ASSIGN_OR_RETURN(const ValueId x, node.input(0));
  return node.set_output(0, x);
}

// Rejects training mode, which drops elements at random, unless the ratio is 0.
Status check_not_dropping(NodeContext& node) {
  if (!node.has_input(2)) return ok_status();
  NESTRT_ASSIGN_OR_RETURN(const std::vector<int64_t> training, node.constant_ints(2, "training_mode"));
  if (training.empty() || training.front() == 0) return ok_status();
  if (node.has_input(1)) {
    NESTRT_ASSIGN_OR_RETURN(const std::vector<float> ratio, node.constant_floats(1, "ratio"));
    if (ratio.size() == 1 && ratio.front() == 0) return ok_status();
  }
  return node.unsupported("training_mode is not supported; export for inference");
}

// Imports Dropout, which is the identity in inference. All elements of the mask are true.
Status import_dropout(NodeContext& node) {
  for (const char* name : {"ratio", "seed", "is_test", "consumed_inputs"}) node.ignore(name);
  NESTRT_ASSIGN_OR_RETURN(const ValueId x, node.input(0));
  NESTRT_RETURN_IF_ERROR(check_not_dropping(node));
  if (node.wants_output(1)) {
    const Shape shape = node.shape(x);
    NESTRT_RETURN_IF_ERROR(node.check_constant(DataType::kBool, shape));
    Bytes ones(static_cast<size_t>(shape.num_elements()), std::byte{1});
    NESTRT_ASSIGN_OR_RETURN(const ValueId mask, node.constant(DataType::kBool, shape, std::move(ones)));
    NESTRT_RETURN_IF_ERROR(node.set_output(1, mask));
  }
  return node.set_output(0, x);
}

constexpr ImportRule kShapeRules[] = {
    {"Dropout", import_dropout}, {"Flatten", import_flatten, 1}, {"Identity", import_identity, 1},
    {"Reshape", import_reshape}, {"Squeeze", import_squeeze},    {"Unsqueeze", import_unsqueeze},
};

}  // namespace

std::span<const ImportRule> shape_rules() { return kShapeRules; }

}  // namespace nestrt::compiler
