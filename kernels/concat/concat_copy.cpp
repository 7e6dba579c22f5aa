// SPDX-License-Identifier: Apache-2.0
#include "kernels/common/framework/function_kernel.h"
#include "kernels/common/framework/rules.h"
#include "kernels/common/layout/strided_copy.h"
#include "kernels/common/math/integers.h"
#include "kernels/concat/concat.h"

namespace nestrt::kernels {
namespace {

int axis_of(const OperatorSpec& spec) {
  const int axis = spec.as<ops::Concat>()->axis;
  return axis < 0 ? axis + spec.outputs[0].shape.rank() : axis;
}

// Returns the number of stored elements that a tensor contributes to each row of the output.
int64_t row_elements(const TensorSpec& tensor, int axis) {
  const Shape& shape = tensor.shape;
  const int64_t block = block_size(tensor.layout);
  const int64_t elements = shape.product(axis, shape.rank());
  if (block == 1) return elements;
  const int64_t padded = round_up(shape[1], block);
  // If `axis` follows the channels, a row is part of a plane of one block of channels, with `block` lanes per pixel.
  return axis > 1 ? elements * block : shape.product(2, shape.rank()) * padded * (axis == 0 ? shape[0] : 1);
}

int64_t num_rows(const TensorSpec& output, int axis) {
  const int64_t block = block_size(output.layout);
  if (block == 1 || axis <= 1) return output.shape.product(0, axis);
  return output.shape[0] * ceil_div(output.shape[1], block) * output.shape.product(2, axis);
}

}  // namespace

// Requires all tensors to have the same layout. Along the channels of a blocked layout, every input except the last
// must consist of whole blocks.
bool accepts_concat_copy(const OperatorSpec& spec) {
  const Layout layout = spec.outputs[0].layout;
  const int64_t block = block_size(layout);
  if (block > 1 && spec.outputs[0].shape.rank() < 2) return false;
  for (size_t i = 0; i < spec.inputs.size(); ++i) {
    const TensorSpec& input = spec.inputs[i];
    if (input.layout != layout || input.packing != Packing::kNone) return false;
    if (axis_of(spec) == 1 && i + 1 < spec.inputs.size() && input.shape[1] % block != 0) return false;
  }
  return true;
}

Result<std::unique_ptr<Kernel>> prepare_concat_copy(const OperatorSpec& spec) {
  const int axis = axis_of(spec);
  const TensorSpec& output = spec.outputs[0];
  const int64_t rows = num_rows(output, axis), to_row = row_elements(output, axis);
  struct Part {
    StridedCopy copy;
    size_t begin;  // offset in bytes from the start of the output
  };
  std::vector<Part> parts;
  int64_t offset = 0;
  for (const TensorSpec& input : spec.inputs) {
    const int64_t from_row = row_elements(input, axis);
    const CopyAxis axes[] = {{rows, from_row, to_row}, {from_row, 1, 1}};
    const size_t size = size_bytes(input.type);
    parts.push_back({StridedCopy(size, axes, 0, offset), static_cast<size_t>(offset) * size});
    offset += from_row;
  }
  return make_kernel([parts = std::move(parts)](const KernelCall& call) {
    for (size_t i = 0; i < parts.size(); ++i) {
      // Skips an input that the plan has already placed at its destination.
      if (call.inputs[i] != call.outputs[0] + parts[i].begin)
        parts[i].copy.run(call.inputs[i], call.outputs[0], *call.parallel);
    }
  });
}

}  // namespace nestrt::kernels
