// SPDX-License-Identifier: Apache-2.0
#include "runtime/plan/queries/views.h"

#include "runtime/plan/queries/tensor_spec.h"

namespace nestrt {
namespace {

bool lies_at(const plan::Tensor& part, const plan::Tensor& whole, std::optional<uint64_t> offset) {
  return offset && part.buffer == whole.buffer && part.offset == whole.offset + *offset;
}

std::optional<uint64_t> offset_of_slice(const ops::Slice& slice, const TensorSpec& input, const TensorSpec& output) {
  const Shape &whole = input.shape, &part = output.shape;
  const auto rank = static_cast<size_t>(whole.rank());
  const auto &start = slice.start, &step = slice.step;
  if (part.rank() != whole.rank() || start.size() != rank || step.size() != rank) return std::nullopt;
  int axis = 0;
  for (int i = 0; i < whole.rank(); ++i) {
    const auto at = static_cast<size_t>(i);
    if (step[at] != 1) return std::nullopt;
    if (whole[i] != part[i])
      axis = i;
    else if (start[at] != 0)
      return std::nullopt;
  }
  if (rank == 0) return 0;
  return offset_of_part(input, output, axis, start[static_cast<size_t>(axis)]);
}

bool is_view_of_input(const plan::Tables& plan, const plan::Operator& op, int32_t output) {
  const int32_t input = op.inputs[0];
  if (input < 0) return false;
  const auto offset = offset_in_input(op.attributes, tensor_spec(plan, input), tensor_spec(plan, output));
  return lies_at(plan.tensors[static_cast<size_t>(output)], plan.tensors[static_cast<size_t>(input)], offset);
}

bool holds_inputs(const plan::Tables& plan, const plan::Operator& op, const ops::Concat& concat, int32_t output) {
  const TensorSpec whole = tensor_spec(plan, output);
  const int axis = axis_of(concat, whole.shape.rank());
  int64_t start = 0;
  for (const int32_t input : op.inputs) {
    if (input < 0) return false;
    const TensorSpec part = tensor_spec(plan, input);
    if (!lies_at(plan.tensors[static_cast<size_t>(input)], plan.tensors[static_cast<size_t>(output)],
                 offset_of_part(whole, part, axis, start)))
      return false;
    start += part.shape[axis];
  }
  return true;
}

// Returns whether a part consists of whole blocks of channels. Two parts that share a block would share bytes: the
// padding of one would be channels of the other.
bool is_of_whole_blocks(int64_t block, int axis, int64_t start, int64_t count, int64_t all) {
  return block == 1 || (axis == 1 && start % block == 0 && (count % block == 0 || start + count == all));
}

}  // namespace

std::optional<uint64_t> offset_of_part(const TensorSpec& whole, const TensorSpec& part, int axis, int64_t start) {
  const Shape &outer = whole.shape, &inner = part.shape;
  if (whole.type != part.type || whole.layout != part.layout || whole.packing != part.packing ||
      whole.packing != Packing::kNone || inner.rank() != outer.rank() || axis < 0 || axis >= outer.rank())
    return std::nullopt;
  for (int i = 0; i < outer.rank(); ++i) {
    if (i < axis && outer[i] != 1) return std::nullopt;
    if (i != axis && inner[i] != outer[i]) return std::nullopt;
  }
  if (start < 0 || start > outer[axis] || inner[axis] > outer[axis] - start) return std::nullopt;
  if (!is_of_whole_blocks(block_size(whole.layout), axis, start, inner[axis], outer[axis])) return std::nullopt;
  const auto element_bytes = static_cast<int64_t>(size_bytes(whole.type));
  return static_cast<uint64_t>(start * outer.product(axis + 1, outer.rank()) * element_bytes);
}

std::optional<uint64_t> offset_in_input(const ops::Attributes& attributes, const TensorSpec& input,
                                        const TensorSpec& output) {
  if (const auto* slice = std::get_if<ops::Slice>(&attributes)) return offset_of_slice(*slice, input, output);
  const bool same_bytes = ops::kind_of(attributes) == ops::Kind::kReshape && input.type == output.type &&
                          input.layout == Layout::kPlain && output.layout == Layout::kPlain &&
                          input.shape.num_elements() == output.shape.num_elements();
  return same_bytes ? std::optional<uint64_t>(0) : std::nullopt;
}

int axis_of(const ops::Concat& concat, int rank) { return concat.axis < 0 ? concat.axis + rank : concat.axis; }

bool is_view(const plan::Tables& plan, const plan::Operator& op) {
  if (op.inputs.empty() || op.outputs.size() != 1) return false;
  if (const auto* concat = op.as<ops::Concat>()) return holds_inputs(plan, op, *concat, op.outputs[0]);
  return is_view_of_input(plan, op, op.outputs[0]);
}

}  // namespace nestrt
