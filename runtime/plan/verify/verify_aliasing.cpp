// SPDX-License-Identifier: Apache-2.0
// Aliasing: operators whose outputs share bytes with their inputs or with each other, and the bytes that each operator
// writes.
#include <fmt/core.h>

#include "runtime/plan/queries/tensor_spec.h"
#include "runtime/plan/queries/views.h"
#include "runtime/plan/verify/verify_parts.h"

namespace nestrt::plan_verify {
namespace {

class AliasingCheck {
 public:
  AliasingCheck(Context& context, uint32_t index)
      : context_(context), index_(index), op_(context.plan.operators[index]) {}

  Status run() {
    NESTRT_RETURN_IF_ERROR(outputs_apart());
    for (int32_t output : op_.outputs) {
      for (int32_t input : op_.inputs) {
        if (input < 0 || !extent(input).overlaps(extent(output))) continue;
        return op_.kind() == ops::Kind::kConcat ? concat(output) : view(input, output);
      }
    }
    for (int32_t output : op_.outputs) writes(extent(output));
    return {};
  }

 private:
  const Extent& extent(int32_t tensor) const { return context_.extents[static_cast<uint32_t>(tensor)]; }
  TensorSpec tensor(int32_t index) const { return tensor_spec(context_.plan, index); }

  void writes(const Extent& bytes) {
    if (bytes.begin < bytes.end) context_.writes.push_back({bytes, index_});
  }

  Status clash(int32_t one, int32_t other) const {
    return damaged_plan(fmt::format("{}: {} and {} overlap in buffer {}", operator_name(context_.plan, index_),
                                    tensor_name(context_.plan, static_cast<uint32_t>(one)),
                                    tensor_name(context_.plan, static_cast<uint32_t>(other)), extent(one).buffer));
  }

  Status outputs_apart() const {
    const auto& outputs = op_.outputs;
    for (uint32_t i = 0; i < outputs.size(); ++i)
      for (uint32_t j = 0; j < i; ++j)
        if (extent(outputs[i]).overlaps(extent(outputs[j]))) return clash(outputs[j], outputs[i]);
    return {};
  }

  Status view(int32_t input, int32_t output) const {
    const std::optional<uint64_t> offset = offset_in_input(op_.attributes, tensor(input), tensor(output));
    const bool in_place = op_.inputs.size() == 1 && op_.outputs.size() == 1 && offset &&
                          extent(output).begin == extent(input).begin + *offset;
    return in_place ? Status() : clash(input, output);
  }

  // Inputs that are already in place in the output stay there; all others must not overlap the written bytes.
  Status concat(int32_t output) {
    const Shape whole = tensor(output).shape;
    const int axis = axis_of(*op_.as<ops::Concat>(), whole.rank());
    if (op_.outputs.size() != 1 || axis < 0 || axis >= whole.rank()) return clash(output, output);

    Extents written;
    std::vector<int32_t> elsewhere;
    int64_t start = 0;
    for (int32_t input : op_.inputs) {
      if (input < 0 || tensor(input).shape.rank() != whole.rank()) return clash(output, output);
      const int64_t count = tensor(input).shape[axis];
      if (count > whole[axis] - start) return clash(input, output);
      const std::optional<uint64_t> offset = offset_of_part(tensor(output), tensor(input), axis, start);
      const bool in_place = offset && extent(input).buffer == extent(output).buffer &&
                            extent(input).begin == extent(output).begin + *offset;
      if (count > 0 && !in_place) {
        elsewhere.push_back(input);
        // Operands that share a block of channels, or are scattered over the whole output, are written together.
        append(part_of(output, whole, axis, start, count), written);
      }
      start += count;
    }
    for (int32_t input : elsewhere)
      if (touches(written, extent(input))) return clash(input, output);
    for (const Extent& bytes : written) writes(bytes);
    return {};
  }

  // Returns the bytes of the output with coordinates [start, start + count) of the axis; all bytes if they are
  // scattered.
  Extent part_of(int32_t output, const Shape& whole, int axis, int64_t start, int64_t count) const {
    const Extent& all = extent(output);
    const Layout layout = tensor(output).layout;
    const int64_t block = block_size(layout);
    if (whole.product(0, axis) != 1 || (block > 1 && axis != 1)) return all;
    const int64_t first = start / block * block;
    const int64_t last = (start + count + block - 1) / block * block;
    const int64_t row_bytes =
        whole.product(axis + 1, whole.rank()) * static_cast<int64_t>(size_bytes(tensor(output).type));
    return {all.buffer, all.begin + static_cast<uint64_t>(first * row_bytes),
            all.begin + static_cast<uint64_t>(last * row_bytes)};
  }

  Context& context_;
  uint32_t index_;
  const plan::Operator& op_;
};

}  // namespace

Status verify_aliasing(Context& context, uint32_t index) { return AliasingCheck(context, index).run(); }

}  // namespace nestrt::plan_verify
