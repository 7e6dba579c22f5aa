// SPDX-License-Identifier: Apache-2.0
// One s8 layer as EVTA computes it, independent of any graph: ConvLayer or MaxPoolLayer. docs/concepts/numerics.md
// defines the arithmetic.
//
// In addition to convolutions, ConvLayer describes every other sum over a window: a fully connected layer (a 1x1
// convolution of a 1x1 image), an average over a power-of-two window, and an addition. The latter two use identity
// weights. Compared with kernels::ConvGeometry it is restricted to what EVTA supports: two axes and no dilation. It
// also contains the constants. LayerShape describes either layer after it is divided into blocks.
//
// In DRAM, activations are [images][channels / block][height][width][block] with the configuration's block. Channels
// after the last one of a block have unspecified contents.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "kernels/common/quantization/s8_arithmetic.h"
#include "nestrt/status.h"

namespace nestrt::compiler::evta {

namespace s8 = kernels::s8;

struct LayerAxis {
  int64_t input = 1;
  int64_t kernel = 1;
  int64_t stride = 1;
  int64_t pad_begin = 0;
  int64_t pad_end = 0;

  int64_t output() const { return (input + pad_begin + pad_end - kernel) / stride + 1; }
};

struct ConvLayer {
  std::string name;  // for messages
  int64_t images = 1;
  int64_t in_channels = 0;
  int64_t out_channels = 0;
  int64_t groups = 1;
  LayerAxis y, x;
  // [out_channels][in_channels / groups][y.kernel][x.kernel]. If empty, output channel c sums the window of input
  // channel c with weight 1, and in_channels, out_channels and groups are equal.
  std::vector<int8_t> weights;
  std::vector<int32_t> bias;    // empty or one per output channel, without rounding terms
  std::vector<uint8_t> shifts;  // right shifts: one for all channels or one per output channel
  s8::Rounding rounding = s8::Rounding::kHalfUp;
  s8::Bounds bounds;        // limits of the result; with a residual, of the sum
  s8::Bounds input_bounds;  // known limits of the input's elements
  // With a residual the shifted accumulator is first limited to s8. Then the residual, a tensor of the output's shape,
  // is added: `a` is the accumulator, `b` the residual.
  std::optional<s8::AddShifts> residual;
  // The results are the accumulators themselves. Shifts and bounds are ignored, and there is no residual. DRAM contains
  // the bytes of all elements, least significant byte first: [4][images][channels / block][height][width][block].
  bool wide = false;
  // Skips rows of the output: rows of the first block of channels before `begin_row`, and rows of the last block from
  // `end_row` on (0 skips none). Skipping requires one image and one group.
  int64_t begin_row = 0, end_row = 0;

  bool is_identity() const { return weights.empty(); }
  int64_t result_bytes() const { return wide ? 4 : 1; }
  uint8_t shift(int64_t channel) const { return shifts.size() == 1 ? shifts[0] : shifts[static_cast<size_t>(channel)]; }
};

struct MaxPoolLayer {
  std::string name;
  int64_t images = 1;
  int64_t channels = 0;
  LayerAxis y, x;
};

// Returns the layer with output channels [begin, end) only. Keeps only their inputs if each output channel has a
// separate input. Requires groups == 1 or groups == in_channels == out_channels, and 0 <= begin < end <= out_channels.
ConvLayer some_channels(const ConvLayer& layer, int64_t begin, int64_t end);

// Checks the requirements common to all configurations. Errors: kInvalidArgument for contradictory sizes, kUnsupported
// for what EVTA cannot do (pads over 15 or not smaller than the kernel, a residual shifted left by more than 6 places,
// ...).
Status check(const ConvLayer& layer);

}  // namespace nestrt::compiler::evta
