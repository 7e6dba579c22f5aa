#include "runtime/plan/sharing.h"

#include "nestrt/tensor.h"

namespace nestrt {
namespace {

bool lies_at(const plan::Tensor& part, const plan::Tensor& whole, std::optional<uint64_t> offset) {
  return offset && part.buffer == whole.buffer && part.offset == whole.offset + *offset;
}

std::optional<uint64_t> offset_of_slice(const ops::Slice& slice, const plan::Tensor& input,
                                        const plan::Tensor& output) {
  const Shape whole = input.shape, part = output.shape;
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

bool is_view_concat(const plan::Tables& plan, const plan::Operator& op, const plan::Tensor& whole) {
  const auto& tensors = plan.tensors;
  const int rank = whole.shape.rank();
  const int stated_axis = op.as<ops::Concat>()->axis;
  const int axis = stated_axis < 0 ? stated_axis + rank : stated_axis;
  int64_t start = 0;
  for (int32_t index : op.inputs) {
    if (index < 0) return false;
    const plan::Tensor& part = tensors[static_cast<uint32_t>(index)];
    if (!lies_at(part, whole, offset_of_part(whole, part, axis, start))) return false;
    start += part.shape[axis];
  }
  return true;
}

}  // namespace

std::optional<uint64_t> offset_of_part(const plan::Tensor& whole, const plan::Tensor& part, int axis, int64_t start) {
  const Shape outer = whole.shape, inner = part.shape;
  if (whole.type != part.type || whole.layout != part.layout || whole.packing != part.packing ||
      whole.packing != Packing::kNone || inner.rank() != outer.rank() || axis < 0 || axis >= outer.rank())
    return std::nullopt;
  for (int i = 0; i < outer.rank(); ++i) {
    if (i < axis && outer[i] != 1) return std::nullopt;
    if (i != axis && inner[i] != outer[i]) return std::nullopt;
  }
  if (start < 0 || start > outer[axis] || inner[axis] > outer[axis] - start) return std::nullopt;
  const int64_t block = block_size(whole.layout);
  if (block > 1 && (axis != 1 || start % block != 0)) return std::nullopt;
  const auto element_bytes = static_cast<int64_t>(size_bytes(whole.type));
  return static_cast<uint64_t>(start * outer.product(axis + 1, outer.rank()) * element_bytes);
}

std::optional<uint64_t> offset_in_input(const plan::Operator& op, const plan::Tensor& input,
                                        const plan::Tensor& output) {
  if (const ops::Slice* slice = op.as<ops::Slice>()) return offset_of_slice(*slice, input, output);
  const bool same_bytes = op.kind() == ops::Kind::kReshape && input.type == output.type &&
                          input.layout == Layout::kPlain && output.layout == Layout::kPlain;
  return same_bytes && input.shape.num_elements() == output.shape.num_elements() ? std::optional<uint64_t>(0)
                                                                                 : std::nullopt;
}

bool is_view(const plan::Tables& plan, const plan::Operator& op) {
  const auto& tensors = plan.tensors;
  const auto &inputs = op.inputs, &outputs = op.outputs;
  if (inputs.size() == 0 || outputs.size() != 1) return false;
  const plan::Tensor& output = tensors[static_cast<uint32_t>(outputs[0])];
  switch (op.kind()) {
    case ops::Kind::kReshape:
    case ops::Kind::kSlice: {
      if (inputs[0] < 0) return false;
      const plan::Tensor& input = tensors[static_cast<uint32_t>(inputs[0])];
      return lies_at(output, input, offset_in_input(op, input, output));
    }
    case ops::Kind::kConcat:
      return is_view_concat(plan, op, output);
    default:
      return false;
  }
}

}  // namespace nestrt
