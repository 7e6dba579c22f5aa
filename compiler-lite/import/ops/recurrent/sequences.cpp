// SPDX-License-Identifier: Apache-2.0
#include "compiler-lite/import/ops/recurrent/sequences.h"

#include <numeric>
#include <vector>

#include "compiler-lite/import/ops/families.h"

namespace nestrt::compiler {
namespace {

using ops::BinaryKind;

Result<ValueId> whole_number(NodeContext& node, int64_t number) {
  return node.scalar_of(DataType::kS64, static_cast<double>(number));
}

// Returns 0, factor, 2 * factor, ... as a constant of the given shape.
Result<ValueId> counting(NodeContext& node, const Shape& shape, int64_t factor) {
  NESTRT_RETURN_IF_ERROR(node.check_constant(DataType::kS64, shape));
  std::vector<int64_t> numbers(static_cast<size_t>(shape.num_elements()));
  for (size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<int64_t>(i) * factor;
  return node.constant(numbers, shape);
}

// Returns the rows of x, whose axes 0 and 1 are merged, in the given order.
Result<ValueId> rows_in_order(NodeContext& node, ValueId x, ValueId order) {
  const Shape shape = node.shape(x);
  NESTRT_ASSIGN_OR_RETURN(const ValueId rows, node.reshape(x, {shape[0] * shape[1], shape.product(2, shape.rank())}));
  return node.add(ops::Gather(), {rows, order});
}

// The time and batch axes are axes 0 and 1, in either order.
Status import_reverse_sequence(NodeContext& node) {
  NESTRT_ASSIGN_OR_RETURN(const ValueId x, node.input(0));
  NESTRT_ASSIGN_OR_RETURN(ValueId lengths, node.input(1));
  const int64_t batch_axis = node.attribute("batch_axis", int64_t{1}),
                time_axis = node.attribute("time_axis", int64_t{0});
  const Shape shape = node.shape(x);
  if (shape.rank() < 2 || batch_axis + time_axis != 1 || batch_axis * time_axis != 0)
    return node.invalid("time_axis and batch_axis must be 0 and 1, of an input with both");
  const auto time = static_cast<int>(time_axis);
  if (node.shape(lengths) != Shape{shape[1 - time]})
    return node.invalid("sequence_lens must have one entry per sequence");
  NESTRT_ASSIGN_OR_RETURN(lengths, node.cast(lengths, DataType::kS64));
  return node.set_output(reversed_sequences(node, x, lengths, time));
}

constexpr ImportRule kSequencesRules[] = {
    {"ReverseSequence", import_reverse_sequence, 10},
};

}  // namespace

Result<ValueId> clamped_lengths(NodeContext& node, ValueId lengths, int64_t steps) {
  NESTRT_ASSIGN_OR_RETURN(lengths, node.cast(lengths, DataType::kS64));
  NESTRT_ASSIGN_OR_RETURN(const ValueId zero, whole_number(node, 0));
  NESTRT_ASSIGN_OR_RETURN(const ValueId most, whole_number(node, steps));
  NESTRT_ASSIGN_OR_RETURN(lengths, node.binary(BinaryKind::kMax, lengths, zero));
  return node.binary(BinaryKind::kMin, lengths, most);
}

Result<ValueId> steps_within(NodeContext& node, ValueId lengths, int64_t steps) {
  NESTRT_ASSIGN_OR_RETURN(const ValueId step, counting(node, {steps, 1, 1}, 1));
  NESTRT_ASSIGN_OR_RETURN(lengths, node.reshape(lengths, {1, node.shape(lengths)[0], 1}));
  return node.binary(BinaryKind::kLess, step, lengths);
}

Result<ValueId> reversed_sequences(NodeContext& node, ValueId x, ValueId lengths, int time) {
  const Shape shape = node.shape(x);
  const int batch = 1 - time;
  const int64_t steps = shape[time], sequences = shape[batch];
  const auto along = [](int axis, int64_t dim) { return axis == 0 ? Shape{dim, 1} : Shape{1, dim}; };
  NESTRT_ASSIGN_OR_RETURN(lengths, node.reshape(lengths, along(batch, sequences)));
  NESTRT_ASSIGN_OR_RETURN(const ValueId step, counting(node, along(time, steps), 1));
  NESTRT_ASSIGN_OR_RETURN(const ValueId base, counting(node, along(batch, sequences), time == 0 ? 1 : steps));
  NESTRT_ASSIGN_OR_RETURN(const ValueId one, whole_number(node, 1));
  NESTRT_ASSIGN_OR_RETURN(const ValueId stride, whole_number(node, time == 0 ? sequences : 1));
  NESTRT_ASSIGN_OR_RETURN(const ValueId turns, node.binary(BinaryKind::kLess, step, lengths));
  NESTRT_ASSIGN_OR_RETURN(ValueId from, node.binary(BinaryKind::kSub, lengths, step));
  NESTRT_ASSIGN_OR_RETURN(from, node.binary(BinaryKind::kSub, from, one));
  NESTRT_ASSIGN_OR_RETURN(from, node.add(ops::Select(), {turns, from, step}));
  NESTRT_ASSIGN_OR_RETURN(from, node.binary(BinaryKind::kMul, from, stride));
  NESTRT_ASSIGN_OR_RETURN(from, node.binary(BinaryKind::kAdd, from, base));
  NESTRT_ASSIGN_OR_RETURN(from, node.reshape(from, {steps * sequences}));
  NESTRT_ASSIGN_OR_RETURN(const ValueId turned, rows_in_order(node, x, from));
  return node.reshape(turned, shape);
}

Result<ValueId> last_steps(NodeContext& node, ValueId x, ValueId lengths) {
  const int64_t sequences = node.shape(x)[1];
  NESTRT_ASSIGN_OR_RETURN(const ValueId base, counting(node, {sequences}, 1));
  NESTRT_ASSIGN_OR_RETURN(const ValueId one, whole_number(node, 1));
  NESTRT_ASSIGN_OR_RETURN(const ValueId zero, whole_number(node, 0));
  NESTRT_ASSIGN_OR_RETURN(const ValueId stride, whole_number(node, sequences));
  NESTRT_ASSIGN_OR_RETURN(ValueId at, node.binary(BinaryKind::kSub, lengths, one));
  NESTRT_ASSIGN_OR_RETURN(at, node.binary(BinaryKind::kMax, at, zero));
  NESTRT_ASSIGN_OR_RETURN(at, node.binary(BinaryKind::kMul, at, stride));
  NESTRT_ASSIGN_OR_RETURN(at, node.binary(BinaryKind::kAdd, at, base));
  return rows_in_order(node, x, at);
}

std::span<const ImportRule> sequence_rules() { return kSequencesRules; }

}  // namespace nestrt::compiler
