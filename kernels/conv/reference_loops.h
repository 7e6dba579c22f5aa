// SPDX-License-Identifier: Apache-2.0
// The reference loops of convolution and transposed convolution. The sum of every output is computed in double, over
// channels and then over taps in row-major order. The two operators differ in which input a tap reads and in the order
// of the weights.
#pragma once

#include <array>

#include "kernels/common/math/activation.h"
#include "kernels/conv/geometry.h"

namespace nestrt::kernels {

using Position = std::array<int64_t, 3>;  // depth, height, width

// The taps of one axis that are inside the input: an arithmetic progression, as are the positions they read.
struct AxisTaps {
  int64_t count = 0;
  int64_t first = 0, step = 0;
  int64_t position = 0, position_step = 0;
};
using ReferenceTaps = std::array<AxisTaps, 3>;

// source(axis, output, tap) returns the position of the input along the axis, or -1.
template <typename Source>
AxisTaps axis_taps(const ConvAxis& axis, int64_t output, Source source) {
  AxisTaps taps;
  for (int64_t tap = 0; tap < axis.kernel; ++tap) {
    const int64_t position = source(axis, output, tap);
    if (position < 0) continue;
    if (taps.count == 0) taps.first = tap, taps.position = position;
    if (taps.count == 1) taps.step = tap - taps.first, taps.position_step = position - taps.position;
    ++taps.count;
  }
  return taps;
}

// Returns the taps of one output, which are the same for all channels.
template <typename Source>
ReferenceTaps taps_at(const ConvGeometry& g, const Position& at, Source source) {
  return {axis_taps(g.axes[0], at[0], source), axis_taps(g.axes[1], at[1], source),
          axis_taps(g.axes[2], at[2], source)};
}

// Calls visit(input element, tap) for the taps of one channel's kernel that are inside the input.
template <typename Visit>
void for_each_tap(const ConvGeometry& g, const ReferenceTaps& taps, Visit visit) {
  const auto& [d, h, w] = taps;
  for (int64_t i = 0; i < d.count; ++i)
    for (int64_t j = 0; j < h.count; ++j) {
      const int64_t row = (d.position + i * d.position_step) * g.axes[1].input + h.position + j * h.position_step;
      const int64_t kernel_row = (d.first + i * d.step) * g.axes[1].kernel + h.first + j * h.step;
      int64_t element = row * g.axes[2].input + w.position, tap = kernel_row * g.axes[2].kernel + w.first;
      for (int64_t k = 0; k < w.count; ++k, element += w.position_step, tap += w.step) visit(element, tap);
    }
}

// Returns the sum over one input channel and its kernel.
inline double reference_channel_sum(const ConvGeometry& g, const float* x, const float* weights,
                                    const ReferenceTaps& taps) {
  double sum = 0;
  for_each_tap(g, taps, [&](int64_t element, int64_t tap) { sum += static_cast<double>(x[element]) * weights[tap]; });
  return sum;
}

// kernel_index(output channel, input channel in the group) returns the index of a kernel in the weights.
template <typename Source, typename KernelIndex>
void reference_channel(const ConvGeometry& g, const Activation& activation, const KernelCall& call, int64_t n,
                       int64_t m, Source source, KernelIndex kernel_index) {
  const float* bias = call.inputs.size() > 2 ? call.input<float>(2) : nullptr;
  const float* residual = call.inputs.size() > 3 ? call.input<float>(3) : nullptr;
  const int64_t height = g.axes[1].output, width = g.axes[2].output;
  const int64_t first = m / g.group_outputs() * g.group_inputs();
  for (int64_t i = 0; i < g.out_spatial(); ++i) {
    const ReferenceTaps taps = taps_at(g, {i / width / height, i / width % height, i % width}, source);
    double sum = 0;
    for (int64_t c = 0; c < g.group_inputs(); ++c)
      sum += reference_channel_sum(g, call.input<float>(0) + (n * g.in_channels + first + c) * g.in_spatial(),
                                   call.input<float>(1) + kernel_index(m, c) * g.taps(), taps);
    const int64_t index = (n * g.out_channels + m) * g.out_spatial() + i;
    if (bias != nullptr) sum += bias[m];
    if (residual != nullptr) sum += residual[index];
    call.output<float>(0)[index] = apply_activation(activation, static_cast<float>(sum));
  }
}

// Runs one task per output channel of each image.
template <typename Source, typename KernelIndex>
void reference_loops(const ConvGeometry& g, const Activation& activation, const KernelCall& call, Source source,
                     KernelIndex kernel_index) {
  call.parallel->parallel_for(g.batch * g.out_channels, [&](int64_t i, int) {
    reference_channel(g, activation, call, i / g.out_channels, i % g.out_channels, source, kernel_index);
  });
}

}  // namespace nestrt::kernels
