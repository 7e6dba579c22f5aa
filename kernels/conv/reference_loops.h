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

// Calls visit(input element, tap) for the taps of one channel's kernel that are inside the input. source(axis, output,
// tap) returns the position of the input along the axis, or -1.
template <typename Source, typename Visit>
void for_each_tap(const ConvGeometry& g, const Position& at, Source source, Visit visit) {
  const auto& [d, h, w] = g.axes;
  for (int64_t kd = 0; kd < d.kernel; ++kd) {
    const int64_t z = source(d, at[0], kd);
    for (int64_t kh = 0; kh < h.kernel && z >= 0; ++kh) {
      const int64_t y = source(h, at[1], kh);
      for (int64_t kw = 0; kw < w.kernel && y >= 0; ++kw)
        if (const int64_t position = source(w, at[2], kw); position >= 0)
          visit((z * h.input + y) * w.input + position, (kd * h.kernel + kh) * w.kernel + kw);
    }
  }
}

// Returns the sum over one input channel and its kernel.
template <typename Source>
double reference_channel_sum(const ConvGeometry& g, const float* x, const float* weights, const Position& at,
                             Source source) {
  double sum = 0;
  for_each_tap(g, at, source,
               [&](int64_t element, int64_t tap) { sum += static_cast<double>(x[element]) * weights[tap]; });
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
    const Position at{i / width / height, i / width % height, i % width};
    double sum = 0;
    for (int64_t c = 0; c < g.group_inputs(); ++c)
      sum += reference_channel_sum(g, call.input<float>(0) + (n * g.in_channels + first + c) * g.in_spatial(),
                                   call.input<float>(1) + kernel_index(m, c) * g.taps(), at, source);
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
