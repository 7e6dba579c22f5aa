// SPDX-License-Identifier: Apache-2.0
#include "kernels/conv_transpose/blocked.h"

#include <algorithm>
#include <utility>

#include "kernels/common/framework/steps.h"
#include "kernels/common/gemm_f32/tile16.h"
#include "kernels/common/math/activation.h"
#include "kernels/common/math/integers.h"

namespace nestrt::kernels {
namespace {

constexpr int64_t kMaxTaps = 1 << 20;  // maximum for one axis, and for all axes together

int64_t floats_of(const ConvGeometry& g) {
  return round_up(g.group_outputs(), kTileBlock) * g.group * g.group_inputs() * g.taps();
}

// Sorts the weights [in_channels][group outputs][taps] of a phase. Returns the end of the result.
float* pack(const ConvGeometry& g, const Phase& phase, const float* weights, float* packed) {
  const auto& [d, h, w] = phase;
  const int64_t inputs = g.group_inputs(), outputs = g.group_outputs();
  for (int64_t first = 0; first < g.out_channels; first += std::min(kTileBlock, outputs - first % outputs))
    for (int64_t chunk = 0; chunk < inputs; chunk += kTileBlock)
      for (int64_t kd = 0; kd < d.taps.taps; ++kd)
        for (int64_t kh = 0; kh < h.taps.taps; ++kh)
          for (int64_t kw = 0; kw < w.taps.taps; ++kw) {
            const int64_t tap = (d.tap(kd) * g.axes[1].kernel + h.tap(kh)) * g.axes[2].kernel + w.tap(kw);
            for (int64_t c = chunk; c < std::min(inputs, chunk + kTileBlock); ++c, packed += kTileBlock) {
              const float* const from = weights + (first / outputs * inputs + c) * outputs * g.taps() + tap;
              const int64_t m = first % outputs, lanes = std::min(kTileBlock, outputs - m);
              for (int64_t i = 0; i < lanes; ++i) packed[i] = from[(m + i) * g.taps()];
            }
          }
  return packed;
}

// Sorts the weights of a phase of a depthwise convolution as [blocks][taps][16].
float* pack_depthwise(const ConvGeometry& g, const Phase& phase, const float* weights, float* packed) {
  const auto& [d, h, w] = phase;
  for (int64_t first = 0; first < g.out_channels; first += kTileBlock)
    for (int64_t kd = 0; kd < d.taps.taps; ++kd)
      for (int64_t kh = 0; kh < h.taps.taps; ++kh)
        for (int64_t kw = 0; kw < w.taps.taps; ++kw, packed += kTileBlock) {
          const int64_t tap = (d.tap(kd) * g.axes[1].kernel + h.tap(kh)) * g.axes[2].kernel + w.tap(kw);
          const int64_t lanes = std::min(kTileBlock, g.out_channels - first);
          for (int64_t i = 0; i < lanes; ++i) packed[i] = weights[(first + i) * g.taps() + tap];
        }
  return packed;
}

}  // namespace

int64_t BlockedTranspose::max_outputs(size_t axis) const {
  int64_t most = 0;
  for (const AxisPhase& phase : axis_phases[axis]) most = std::max(most, phase.outputs);
  return most;
}

void BlockedTranspose::fill_gaps(const KernelCall& call) const {
  if (!has_gaps) return;
  const float* residual = call.inputs.size() > 3 ? call.input<float>(3) : nullptr;
  const int64_t pixels = geometry.out_spatial(), blocks = ceil_div(geometry.out_channels, kTileBlock);
  call.parallel->parallel_for(geometry.batch * blocks, [&](int64_t plane, int) {
    for (int64_t i = 0; i < pixels * kTileBlock; ++i) {
      const int64_t at = plane * pixels * kTileBlock + i, lane = plane % blocks * kTileBlock + i % kTileBlock;
      const float sum = bias.data() == nullptr ? 0.0f : bias.data()[lane];
      call.output<float>(0)[at] = apply_activation(activation, residual == nullptr ? sum : sum + residual[at]);
    }
  });
}

bool accepts_blocked_transpose(const OperatorSpec& spec) {
  for (const size_t i : {0, 3})
    if (spec.has_input(i) && (spec.inputs[i].layout != Layout::kBlocked16 || spec.inputs[i].type != DataType::kF32))
      return false;
  if (spec.outputs[0].layout != Layout::kBlocked16 || spec.inputs[1].constant == nullptr) return false;
  if (spec.has_input(2) && spec.inputs[2].constant == nullptr) return false;
  const Result<ConvGeometry> g = conv_transpose_geometry(spec);
  return g &&
         saturating_product(saturating_product(g->axes[0].kernel, g->axes[1].kernel), g->axes[2].kernel) <= kMaxTaps;
}

Result<BlockedTranspose> make_blocked_transpose(const OperatorSpec& spec) {
  BlockedTranspose conv;
  NESTRT_ASSIGN_OR_RETURN(conv.geometry, conv_transpose_geometry(spec));
  const ConvGeometry& g = conv.geometry;
  conv.activation = spec.as<ops::ConvTranspose>()->activation;
  NESTRT_ASSIGN_OR_RETURN(conv.bias, padded_bias(spec, 2));
  conv.axis_phases = reached_phases(g);
  conv.has_gaps = has_gaps(g, conv.axis_phases);
  const bool is_depthwise = g.group > 1 && g.group_inputs() == 1;
  conv.weights = AlignedFloats(is_depthwise ? round_up(g.out_channels, kTileBlock) * g.taps() : floats_of(g));
  float* packed = conv.weights.data();
  if (packed == nullptr) return Status(Code::kOutOfMemory, "no memory for packed weights");
  const float* const weights = reinterpret_cast<const float*>(spec.inputs[1].constant);
  for (const AxisPhase& d : conv.axis_phases[0])
    for (const AxisPhase& h : conv.axis_phases[1])
      for (const AxisPhase& w : conv.axis_phases[2]) {
        conv.phases.push_back({{d, h, w}, packed});
        packed = is_depthwise ? pack_depthwise(g, conv.phases.back().axes, weights, packed)
                              : pack(g, conv.phases.back().axes, weights, packed);
      }
  return conv;
}

}  // namespace nestrt::kernels
