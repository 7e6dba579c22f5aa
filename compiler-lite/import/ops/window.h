// The sliding window of convolutions and pools: kernel, strides, dilations and pads, auto_pad resolved.
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
  // Extent of the dilated kernel.
  int64_t extent(int axis) const;
};

// Reads kernel_shape, strides, dilations and pads. `kernel` holds the weights' own kernel, or is empty for pools,
// whose kernel_shape is compulsory. auto_pad stays for resolve_auto_pad.
// Errors: kInvalidModel for lists of the wrong length and for entries outside [1, 2^31) ([0, 2^31) for pads).
Result<Window> read_window(NodeContext& node, int spatial_rank, const std::vector<int64_t>& kernel);

// Pads for auto_pad of a convolution or pool over `input` [N, C, spatial...]: SAME_UPPER and SAME_LOWER make
// output = ceil(input / stride), the odd pixel at the end or at the beginning; VALID clears them.
Status resolve_auto_pad(NodeContext& node, const Shape& input, Window& window);

// Writes the window into a Conv, ConvTranspose or Pool.
template <typename Op>
void set_window(Op& op, const Window& window) {
  op.kernel = window.kernel;
  op.stride = window.stride;
  op.dilation = window.dilation;
  op.pad_begin = window.pad_begin;
  op.pad_end = window.pad_end;
}

}  // namespace nestrt::compiler
