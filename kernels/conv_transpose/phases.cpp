// SPDX-License-Identifier: Apache-2.0
#include "kernels/conv_transpose/phases.h"

#include <algorithm>
#include <utility>

#include "kernels/common/math/activation.h"
#include "kernels/common/math/integers.h"

namespace nestrt::kernels {
namespace {

// Returns the phase of the outputs to which a tap contributes.
int64_t phase_of_tap(const ConvAxis& axis, int64_t tap) {
  const int64_t remainder = (tap * axis.dilation - axis.pad_begin) % axis.stride;
  return remainder < 0 ? remainder + axis.stride : remainder;
}

AxisPhase first_tap(const ConvAxis& axis, int64_t phase, int64_t tap) {
  AxisPhase result;
  result.phase = phase;
  result.outputs = ceil_div(axis.output - phase, axis.stride);
  result.first = tap;
  result.taps.taps = 1;
  result.taps.shift = (phase + axis.pad_begin - tap * axis.dilation) / axis.stride;
  return result;
}

}  // namespace

std::vector<AxisPhase> reached_phases(const ConvAxis& axis) {
  std::vector<std::pair<int64_t, int64_t>> taps;  // phase, tap
  for (int64_t tap = 0; tap < axis.kernel; ++tap)
    if (const int64_t phase = phase_of_tap(axis, tap); phase < axis.output) taps.emplace_back(phase, tap);
  std::sort(taps.begin(), taps.end());
  std::vector<AxisPhase> result;
  for (const auto& [phase, tap] : taps) {
    if (result.empty() || result.back().phase != phase) {
      result.push_back(first_tap(axis, phase, tap));
      continue;
    }
    AxisPhase& last = result.back();
    if (last.taps.taps++ > 1) continue;
    last.step = tap - last.first;
    last.taps.shift_step = last.step * axis.dilation / axis.stride;
  }
  return result;
}

AxisPhases reached_phases(const ConvGeometry& geometry) {
  const auto& [d, h, w] = geometry.axes;
  return {reached_phases(d), reached_phases(h), reached_phases(w)};
}

bool has_gaps(const ConvGeometry& geometry, const AxisPhases& phases) {
  for (size_t axis = 0; axis < 3; ++axis) {
    const ConvAxis& a = geometry.axes[axis];
    if (static_cast<int64_t>(phases[axis].size()) < std::min(a.stride, a.output)) return true;
  }
  return false;
}

void fill_gaps(const ConvGeometry& g, const ops::Activation& activation, const KernelCall& call) {
  const float* bias = call.inputs.size() > 2 ? call.input<float>(2) : nullptr;
  const float* residual = call.inputs.size() > 3 ? call.input<float>(3) : nullptr;
  const int64_t pixels = g.out_spatial();
  call.parallel->parallel_for(g.batch * g.out_channels, [&](int64_t plane, int) {
    const float sum = bias == nullptr ? 0.0f : bias[plane % g.out_channels];
    for (int64_t i = plane * pixels; i < (plane + 1) * pixels; ++i)
      call.output<float>(0)[i] = apply_activation(activation, residual == nullptr ? sum : sum + residual[i]);
  });
}

}  // namespace nestrt::kernels
