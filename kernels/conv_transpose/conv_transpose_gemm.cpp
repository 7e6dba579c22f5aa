// SPDX-License-Identifier: Apache-2.0
// Transposed convolution as matrix products. Outputs whose positions agree modulo the strides (a phase) depend on the
// same taps, each with a fixed shift between output and input: within a phase it is a convolution of stride 1. Weights
// are therefore sorted by phase, and a task gathers the inputs of 16-pixel panels of one phase. No product is wasted.
#include <algorithm>
#include <utility>
#include <vector>

#include "kernels/common/framework/split.h"
#include "kernels/common/gemm_f32/tile16.h"
#include "kernels/common/math/integers.h"
#include "kernels/common/packing/packed_constant.h"
#include "kernels/conv/gather_panel.h"
#include "kernels/conv/geometry.h"
#include "kernels/conv_transpose/conv_transpose.h"

namespace nestrt::kernels {
namespace {

// The taps of one axis for outputs phase, phase + stride, ...: every step-th from the first. Output phase + j * stride
// reads input shift + j through the first tap, and `shift_step` less through each next one.
struct AxisPhase {
  int64_t phase = 0;
  int64_t outputs = 0;
  int64_t first = 0, step = 1, taps = 0;
  int64_t shift = 0, shift_step = 0;
};

// Returns the phase of the outputs that a tap contributes to.
int64_t phase_of_tap(const ConvAxis& axis, int64_t tap) {
  const int64_t remainder = (tap * axis.dilation - axis.pad_begin) % axis.stride;
  return remainder < 0 ? remainder + axis.stride : remainder;
}

AxisPhase first_tap(const ConvAxis& axis, int64_t phase, int64_t tap) {
  AxisPhase result;
  result.phase = phase;
  result.outputs = ceil_div(axis.output - phase, axis.stride);
  result.first = tap;
  result.taps = 1;
  result.shift = (phase + axis.pad_begin - tap * axis.dilation) / axis.stride;
  return result;
}

// Returns the phases that have taps, in order. There are at most as many as taps. The total number of phases can be as
// large as the stride, which a file of a few bytes can set to 2^31 - 1.
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
    if (last.taps++ > 1) continue;
    last.step = tap - last.first;
    last.shift_step = last.step * axis.dilation / axis.stride;
  }
  return result;
}

struct Phase {
  std::array<AxisPhase, 3> axes;

  int64_t taps() const { return axes[0].taps * axes[1].taps * axes[2].taps; }
  int64_t pixels() const { return axes[0].outputs * axes[1].outputs * axes[2].outputs; }
  int64_t tap_index(const ConvGeometry& g, int64_t d, int64_t h, int64_t w) const {
    const auto tap = [&](size_t axis, int64_t i) { return axes[axis].first + i * axes[axis].step; };
    return (tap(0, d) * g.axes[1].kernel + tap(1, h)) * g.axes[2].kernel + tap(2, w);
  }
};

class Gemm final : public Kernel {
 public:
  explicit Gemm(const ConvGeometry& geometry, const Activation& activation)
      : g_(geometry), activation_(activation), tile_(tile16_function()), limits_(tile16_limits()) {
    for (size_t axis = 0; axis < 3; ++axis) phases_[axis] = reached_phases(g_.axes[axis]);
  }

  // Sorts constant weights once. Errors: kOutOfMemory.
  Status sort_constant(const float* weights) {
    const int64_t count = g_.in_channels * g_.group_outputs() * g_.taps();
    sorted_ = AlignedFloats(count);
    if (sorted_.data() == nullptr) return Status(Code::kOutOfMemory, "no memory for sorted weights");
    sort_weights(weights, sorted_.data());
    return {};
  }

  void run(const KernelCall& call) const override;
  ScratchSize scratch(int) const override {
    const int64_t weights = sorted_.data() != nullptr ? 0 : g_.in_channels * g_.group_outputs() * g_.taps();
    return {static_cast<size_t>(weights) * sizeof(float), slot_bytes()};
  }

 private:
  // Scratch per thread: the panels of a tile, the input offsets of their pixels, and the products.
  int64_t panel_width() const { return limits_.blocks * kTileBlock; }
  size_t panel_bytes() const {
    return static_cast<size_t>(panel_width() * g_.group_inputs() * g_.taps()) * sizeof(float);
  }
  size_t offset_bytes() const { return static_cast<size_t>(kTileBlock * g_.taps()) * sizeof(int64_t); }
  size_t product_bytes() const { return static_cast<size_t>(kMaxTilePoints * panel_width()) * sizeof(float); }
  size_t slot_bytes() const { return panel_bytes() + offset_bytes() + product_bytes(); }

  int64_t phases() const { return static_cast<int64_t>(phases_[0].size() * phases_[1].size() * phases_[2].size()); }
  Phase phase_at(int64_t index) const;
  // Returns whether some outputs have no tap.
  bool has_gaps() const;
  void fill(const KernelCall& call) const;
  void sort_weights(const float* weights, float* sorted) const;
  void run_panel(const KernelCall& call, const Phase& phase, const float* weights, int64_t image_group, Range pixels,
                 std::byte* scratch) const;
  void fill_offsets(const Phase& phase, Range pixels, int64_t* offsets) const;
  void multiply(const KernelCall& call, const Phase& phase, const float* weights, int64_t image_group, Range pixels,
                const float* panel, float* products) const;
  void scatter(const KernelCall& call, const Phase& phase, const float* products, int64_t first_channel, Range channels,
               Range pixels) const;

  ConvGeometry g_;
  std::array<std::vector<AxisPhase>, 3> phases_;
  Activation activation_;
  Tile16Function tile_;
  TileLimits limits_;
  AlignedFloats sorted_;
};

Phase Gemm::phase_at(int64_t index) const {
  Phase phase;
  for (size_t axis = 3; axis-- > 0;) {
    const auto count = static_cast<int64_t>(phases_[axis].size());
    phase.axes[axis] = phases_[axis][static_cast<size_t>(index % count)];
    index /= count;
  }
  return phase;
}

bool Gemm::has_gaps() const {
  for (size_t axis = 0; axis < 3; ++axis)
    if (static_cast<int64_t>(phases_[axis].size()) < std::min(g_.axes[axis].stride, g_.axes[axis].output)) return true;
  return false;
}

// Fills all outputs with the value of an output without taps. The others are computed afterwards.
void Gemm::fill(const KernelCall& call) const {
  const float* bias = call.inputs.size() > 2 ? call.input<float>(2) : nullptr;
  const float* residual = call.inputs.size() > 3 ? call.input<float>(3) : nullptr;
  const int64_t pixels = g_.out_spatial();
  call.parallel->parallel_for(g_.batch * g_.out_channels, [&](int64_t plane, int) {
    const float sum = bias == nullptr ? 0.0f : bias[plane % g_.out_channels];
    for (int64_t i = plane * pixels; i < (plane + 1) * pixels; ++i)
      call.output<float>(0)[i] = apply_activation(activation_, residual == nullptr ? sum : sum + residual[i]);
  });
}

// Sorts weights [in_channels][group outputs][taps] by phase: [group][group outputs][group inputs][taps of the phase].
void Gemm::sort_weights(const float* weights, float* sorted) const {
  const int64_t outputs = g_.group_outputs(), inputs = g_.group_inputs();
  for (int64_t index = 0; index < phases(); ++index) {
    const Phase phase = phase_at(index);
    for (int64_t group = 0; group < g_.group; ++group)
      for (int64_t m = 0; m < outputs; ++m)
        for (int64_t c = group * inputs; c < (group + 1) * inputs; ++c)
          for (int64_t d = 0; d < phase.axes[0].taps; ++d)
            for (int64_t h = 0; h < phase.axes[1].taps; ++h)
              for (int64_t w = 0; w < phase.axes[2].taps; ++w)
                *sorted++ = weights[(c * outputs + m) * g_.taps() + phase.tap_index(g_, d, h, w)];
  }
}

void Gemm::run(const KernelCall& call) const {
  const float* sorted = sorted_.data();
  if (sorted == nullptr) {
    float* target = reinterpret_cast<float*>(call.shared_scratch);
    sort_weights(call.input<float>(1), target);
    sorted = target;
  }
  if (has_gaps()) fill(call);
  int64_t taps = 0;
  for (int64_t index = 0; index < phases(); ++index) {
    const Phase phase = phase_at(index);
    const float* weights = sorted + taps * g_.in_channels * g_.group_outputs();
    taps += phase.taps();
    const int64_t panels = ceil_div(phase.pixels(), panel_width());
    call.parallel->parallel_for(g_.batch * g_.group * panels, [&](int64_t i, int slot) {
      run_panel(call, phase, weights, i / panels, part_of(phase.pixels(), i % panels, panels, panel_width()),
                call.slot_scratch<std::byte>(slot, slot_bytes()));
    });
  }
}

// Computes the input offsets of 16 pixels of a phase: [taps of the phase][16], negative outside the input and past the
// last pixel.
void Gemm::fill_offsets(const Phase& phase, Range pixels, int64_t* offsets) const {
  const auto& [d, h, w] = phase.axes;
  const auto source = [&](size_t axis, int64_t output, int64_t tap) {
    const int64_t input = phase.axes[axis].shift + output - tap * phase.axes[axis].shift_step;
    return input < g_.axes[axis].input ? input : -1;
  };
  for (int64_t kd = 0; kd < d.taps; ++kd)
    for (int64_t kh = 0; kh < h.taps; ++kh)
      for (int64_t kw = 0; kw < w.taps; ++kw)
        for (int64_t i = 0; i < kTileBlock; ++i) {
          const int64_t pixel = pixels.first + i, row = pixel / w.outputs;
          const int64_t z = source(0, row / h.outputs, kd), y = source(1, row % h.outputs, kh);
          const int64_t x = source(2, pixel % w.outputs, kw);
          const bool inside = pixel < pixels.last && z >= 0 && y >= 0 && x >= 0;
          *offsets++ = inside ? (z * g_.axes[1].input + y) * g_.axes[2].input + x : -1;
        }
}

void Gemm::run_panel(const KernelCall& call, const Phase& phase, const float* weights, int64_t image_group,
                     Range pixels, std::byte* scratch) const {
  float* panel = reinterpret_cast<float*>(scratch);
  float* products = reinterpret_cast<float*>(scratch + panel_bytes());
  int64_t* offsets = reinterpret_cast<int64_t*>(scratch + panel_bytes() + product_bytes());
  const float* input = call.input<float>(0) + image_group * g_.group_inputs() * g_.in_spatial();
  float* block = panel;
  for (int64_t first = pixels.first; first < pixels.last; first += kTileBlock) {
    fill_offsets(phase, {first, std::min(first + kTileBlock, pixels.last)}, offsets);
    gather_panel(input, g_.group_inputs(), g_.in_spatial(), offsets, phase.taps(), block);
    block += g_.group_inputs() * phase.taps() * kTileBlock;
  }
  multiply(call, phase, weights, image_group, pixels, panel, products);
}

void Gemm::multiply(const KernelCall& call, const Phase& phase, const float* weights, int64_t image_group, Range pixels,
                    const float* panel, float* products) const {
  const int64_t outputs = g_.group_outputs(), reduction = g_.group_inputs() * phase.taps();
  const int64_t group = image_group % g_.group;
  const float* bias = call.inputs.size() > 2 ? call.input<float>(2) : nullptr;
  int64_t offsets[kMaxTilePoints];
  for (int64_t p = 0; p < limits_.points; ++p) offsets[p] = p * reduction;
  Tile16 tile;
  tile.blocks = ceil_div(pixels.size(), kTileBlock);
  tile.offsets = offsets;
  tile.segments = tile.chunks = 1;
  tile.length = tile.last_length = reduction;
  tile.weights = panel;
  tile.weights_stride = reduction * kTileBlock;
  tile.output = products;
  tile.point_stride = panel_width();
  tile.block_stride = kTileBlock;
  const int64_t tiles = ceil_div(outputs, limits_.points);
  for (int64_t t = 0; t < tiles; ++t) {
    const Range channels = part_of(outputs, t, tiles);
    tile.points = channels.size();
    tile.input = weights + (group * outputs + channels.first) * reduction;
    tile.point_bias = bias == nullptr ? nullptr : bias + group * outputs + channels.first;
    tile_(tile);
    scatter(call, phase, products, image_group * outputs, channels, pixels);
  }
}

// Stores the products of a tile at the output positions of their phase.
void Gemm::scatter(const KernelCall& call, const Phase& phase, const float* products, int64_t first_channel,
                   Range channels, Range pixels) const {
  const auto& [d, h, w] = g_.axes;
  const float* residual = call.inputs.size() > 3 ? call.input<float>(3) : nullptr;
  for (int64_t pixel = pixels.first; pixel < pixels.last; ++pixel) {
    const int64_t x = phase.axes[2].phase + pixel % phase.axes[2].outputs * w.stride,
                  row = pixel / phase.axes[2].outputs;
    const int64_t y = phase.axes[1].phase + row % phase.axes[1].outputs * h.stride;
    const int64_t z = phase.axes[0].phase + row / phase.axes[1].outputs * d.stride;
    for (int64_t m = channels.first; m < channels.last; ++m) {
      const int64_t at = (((first_channel + m) * d.output + z) * h.output + y) * w.output + x;
      const float sum = products[(m - channels.first) * panel_width() + pixel - pixels.first];
      call.output<float>(0)[at] = apply_activation(activation_, residual == nullptr ? sum : sum + residual[at]);
    }
  }
}

}  // namespace

Result<std::unique_ptr<Kernel>> prepare_conv_transpose_gemm(const OperatorSpec& spec) {
  NESTRT_ASSIGN_OR_RETURN(const ConvGeometry geometry, conv_transpose_geometry(spec));
  auto kernel = std::make_unique<Gemm>(geometry, spec.as<ops::ConvTranspose>()->activation);
  if (spec.inputs[1].constant != nullptr)
    NESTRT_RETURN_IF_ERROR(kernel->sort_constant(reinterpret_cast<const float*>(spec.inputs[1].constant)));
  return std::unique_ptr<Kernel>(std::move(kernel));
}

}  // namespace nestrt::kernels
