// SPDX-License-Identifier: Apache-2.0
// Sliding window of convolutions and pools: kernel, strides, dilations and pads.
#pragma once

#include <vector>

#include "compiler-lite/import/node_context.h"

namespace nestrt::compiler {

// One entry per spatial axis.
struct Window {
  std::vector<int32_t> kernel;
  std::vector<int32_t> stride;
  std::vector<int32_t> dilation;
  std::vector<int32_t> pad_begin;
  std::vector<int32_t> pad_end;

  int spatial_rank() const { return static_cast<int>(kernel.size()); }
  // Returns the extent of the dilated kernel.
  int64_t extent(int axis) const;
};

// Returns the total padding of an axis with which a window of this extent computes ceil(size / stride) outputs.
int64_t same_padding(int64_t size, int32_t stride, int64_t extent);

// Reads kernel_shape, strides, dilations and pads. `kernel` is the kernel shape of the weights; it is empty for pools,
// which require kernel_shape. Ignores auto_pad; see resolve_auto_pad().
// Errors: kInvalidModel for lists of the wrong length and for entries outside [1, 2^31), or [0, 2^31) for pads.
Result<Window> read_window(NodeContext& node, int spatial_rank, const std::vector<int64_t>& kernel);

// Sets the pads that auto_pad of a convolution or pool over `input` [N, C, spatial...] requests. SAME_UPPER and
// SAME_LOWER make output = ceil(input / stride) and put an odd pixel of padding at the end or at the beginning,
// respectively. VALID clears the pads.
Status resolve_auto_pad(NodeContext& node, const Shape& input, Window& window);

// Copies the window into a Conv, ConvTranspose or Pool.
template <typename Op>
void set_window(Op& op, const Window& window) {
  op.kernel = window.kernel;
  op.stride = window.stride;
  op.dilation = window.dilation;
  op.pad_begin = window.pad_begin;
  op.pad_end = window.pad_end;
}

}  // namespace nestrt::compiler
