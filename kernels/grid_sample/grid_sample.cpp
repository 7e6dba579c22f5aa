// SPDX-License-Identifier: Apache-2.0
// GridSample: samples an image (or volume) at the points of a grid. The interpolation is separable: along each axis, a
// point reads one (nearest), two (linear) or four (cubic) elements with a weight each.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "kernels/common/framework/function_kernel.h"
#include "kernels/common/framework/parallel_ranges.h"
#include "kernels/common/framework/rules.h"
#include "kernels/common/framework/steps.h"
#include "kernels/registry.h"

namespace nestrt::kernels {
namespace {

constexpr int kMaxAxes = 3;

Result<std::vector<TensorSpec>> infer(const OperatorSpec& spec) {
  NESTRT_RETURN_IF_ERROR(expect_inputs(spec, 2, 2));
  const Shape &x = spec.inputs[0].shape, &grid = spec.inputs[1].shape;
  NESTRT_RETURN_IF_ERROR(expect_type(spec.inputs[0], DataType::kF32, "the input"));
  NESTRT_RETURN_IF_ERROR(expect_type(spec.inputs[1], DataType::kF32, "the grid"));
  const int axes = x.rank() - 2;
  if (axes < 1 || axes > kMaxAxes || grid.rank() != x.rank() || grid[0] != x[0] || grid[grid.rank() - 1] != axes)
    return rule_error(fmt::format("a grid of shape {} does not fit an input of shape {} ([N, C, one to {} axes])",
                                  grid.to_string(), x.to_string(), kMaxAxes));
  std::vector<int64_t> dims = {x[0], x[1]};
  dims.insert(dims.end(), grid.begin() + 1, grid.end() - 1);
  NESTRT_ASSIGN_OR_RETURN(const Shape shape, checked_shape(dims, "the output"));
  if (x.product(2, x.rank()) == 0 && shape.num_elements() > 0) return rule_error("the input has no elements to sample");
  return single_output(DataType::kF32, shape);
}

// The element indices and weights of a point along one axis. Elements outside the input have weight 0.
struct Taps {
  int count = 0;
  std::array<int64_t, 4> index{};
  std::array<float, 4> weight{};
};

struct Sampler {
  ops::GridSample attributes;
  int axes = 0;
  int64_t channels = 0, points = 0, size = 0;  // channels; points per sample; elements per channel
  std::array<int64_t, kMaxAxes> dims{};

  int64_t taps_per_axis() const {
    if (attributes.mode == ops::ResizeMode::kNearest) return 1;
    return attributes.mode == ops::ResizeMode::kLinear ? 2 : 4;
  }

  float reflected(float x, float low, float high) const {
    const float range = high - low;
    if (range <= 0) return low;
    const float over = x < low ? low - x : x > high ? x - high : 0;
    if (over == 0) return x;
    const float folds = std::trunc(over / range), rest = over - folds * range;
    return (std::fmod(folds, 2.0f) == 0) == (x < low) ? low + rest : high - rest;
  }

  // Moves a coordinate outside the input to the inside if the padding mode requires it.
  float inside(float x, int64_t dim) const {
    const float low = attributes.align_corners ? 0.0f : -0.5f;
    const float high = static_cast<float>(dim) - (attributes.align_corners ? 1.0f : 0.5f);
    if (x >= low && x <= high) return x;
    if (attributes.padding == ops::PaddingKind::kBorder)
      return std::min(std::max(x, 0.0f), static_cast<float>(dim - 1));
    return attributes.padding == ops::PaddingKind::kReflection ? reflected(x, low, high) : x;
  }

  // Converts a grid coordinate to a position on an axis of `dim` elements, where 0 is the first. NaN and values beyond
  // the integer range become positions far outside.
  float coordinate(float x, int64_t dim) const {
    const auto length = static_cast<float>(dim);
    const float at = attributes.align_corners ? (x + 1) / 2 * (length - 1) : ((x + 1) * length - 1) / 2;
    const float rounded = attributes.mode == ops::ResizeMode::kNearest ? std::nearbyint(at) : at;
    constexpr float kFar = 0x1p30f;
    return inside(rounded >= -kFar && rounded <= kFar ? rounded : -kFar, dim);
  }

  void add(Taps& taps, int64_t index, float weight, int64_t dim) const {
    if (index < 0 || index >= dim) {
      if (attributes.padding == ops::PaddingKind::kZeros) weight = 0;
      // Reflected positions are also clamped, because rounding could leave them outside.
      if (attributes.padding == ops::PaddingKind::kReflection)
        index = static_cast<int64_t>(inside(static_cast<float>(index), dim));
      index = std::clamp<int64_t>(index, 0, dim - 1);
    }
    const auto at = static_cast<size_t>(taps.count++);
    taps.index[at] = index;
    taps.weight[at] = weight;
  }

  // Returns Keys' cubic kernel with a = -0.75. Requires: |distance| < 2.
  static float cubic(float distance) {
    constexpr float a = -0.75f;
    const float x = std::abs(distance);
    if (x <= 1) return ((a + 2) * x - (a + 3)) * x * x + 1;
    return ((a * x - 5 * a) * x + 8 * a) * x - 4 * a;
  }

  Taps taps_at(float stated, int64_t dim) const {
    Taps taps;
    const float x = coordinate(stated, dim), floor = std::floor(x), part = x - floor;
    const auto first = static_cast<int64_t>(floor);
    if (attributes.mode == ops::ResizeMode::kNearest) {
      add(taps, first, 1, dim);
    } else if (attributes.mode == ops::ResizeMode::kLinear) {
      add(taps, first, 1 - part, dim);
      add(taps, first + 1, part, dim);
    } else {
      for (int i = -1; i <= 2; ++i) add(taps, first + i, cubic(part - static_cast<float>(i)), dim);
    }
    return taps;
  }

  template <int kAxis = 0>
  float sample(const float* x, const std::array<Taps, kMaxAxes>& taps, int64_t offset) const {
    if (kAxis == axes) return x[offset];
    float sum = 0;
    if constexpr (kAxis < kMaxAxes) {
      const Taps& own = taps[kAxis];
      for (size_t i = 0; i < static_cast<size_t>(own.count); ++i) {
        if (own.weight[i] == 0) continue;  // the element may be NaN
        sum += own.weight[i] * sample<kAxis + 1>(x, taps, offset * dims[kAxis] + own.index[i]);
      }
    }
    return sum;
  }

  std::array<Taps, kMaxAxes> point_taps(const KernelCall& call, int64_t point) const {
    const float* const stated = call.input<float>(1) + point * axes;
    std::array<Taps, kMaxAxes> taps;
    for (int axis = 0; axis < axes; ++axis)
      taps[static_cast<size_t>(axis)] = taps_at(stated[axes - 1 - axis], dims[static_cast<size_t>(axis)]);
    return taps;
  }

  // Computes one point of one sample for all channels.
  void run(const KernelCall& call, int64_t point) const {
    const std::array<Taps, kMaxAxes> taps = point_taps(call, point);
    const int64_t first = point / points * channels;
    for (int64_t c = first; c < first + channels; ++c)
      call.output<float>(0)[c * points + point % points] = sample(call.input<float>(0) + c * size, taps, 0);
  }
};

Sampler sampler_of(const OperatorSpec& spec) {
  const Shape &x = spec.inputs[0].shape, &y = spec.outputs[0].shape;
  Sampler sampler;
  sampler.attributes = *spec.as<ops::GridSample>();
  sampler.axes = x.rank() - 2;
  sampler.channels = x[1];
  sampler.points = y.product(2, y.rank());
  sampler.size = x.product(2, x.rank());
  for (int axis = 0; axis < sampler.axes; ++axis) sampler.dims[static_cast<size_t>(axis)] = x[axis + 2];
  return sampler;
}

Result<std::unique_ptr<Kernel>> prepare_reference(const OperatorSpec& spec) {
  const Sampler sampler = sampler_of(spec);
  return make_kernel([sampler, points = spec.outputs[0].shape[0] * sampler.points](const KernelCall& call) {
    parallel_ranges(*call.parallel, points, 32 * sampler.channels, [&](int64_t first, int64_t last) {
      for (int64_t point = first; point < last; ++point) sampler.run(call, point);
    });
  });
}

// Computes the taps of a block of points once and applies them channel by channel. Drops elements of weight 0, because
// they may be NaN.
class SamplePoints {
 public:
  static constexpr size_t kMaxTaps = 1024;  // of a block
  static constexpr size_t kImageTaps = 4;   // of a point of an image between four pixels

  // Returns the maximum number of points in a block.
  static int64_t block(const Sampler& sampler) {
    const int64_t per_axis = sampler.taps_per_axis();
    int64_t per_point = 1;
    for (int axis = 0; axis < sampler.axes; ++axis) per_point *= per_axis;
    return static_cast<int64_t>(kMaxTaps) / per_point;
  }

  // Computes `count` points of one sample. Requires: count <= block().
  void run(const Sampler& sampler, const KernelCall& call, int64_t first, int64_t count) {
    size_t taps = 0;
    for (int64_t i = 0; i < count; ++i) {
      taps = collect(sampler, sampler.point_taps(call, first + i), 0, 1, taps);
      end_[static_cast<size_t>(i)] = taps;
    }
    const int64_t channel = first / sampler.points * sampler.channels;
    for (int64_t c = channel; c < channel + sampler.channels; ++c)
      blend(call.input<float>(0) + c * sampler.size,
            call.output<float>(0) + c * sampler.points + first % sampler.points, count);
  }

 private:
  // Appends the taps of the axes starting with kAxis. Returns the number of taps.
  template <int kAxis = 0>
  size_t collect(const Sampler& sampler, const std::array<Taps, kMaxAxes>& taps, int64_t offset, float weight,
                 size_t used) {
    if (kAxis == sampler.axes) {
      offset_[used] = offset;
      weight_[used] = weight;
      return used + 1;
    }
    if constexpr (kAxis < kMaxAxes) {
      const Taps& own = taps[kAxis];
      for (size_t i = 0; i < static_cast<size_t>(own.count); ++i)
        if (own.weight[i] != 0)
          used = collect<kAxis + 1>(sampler, taps, offset * sampler.dims[kAxis] + own.index[i], weight * own.weight[i],
                                    used);
    }
    return used;
  }

  void blend(const float* x, float* y, int64_t count) const {
    size_t tap = 0;
    for (int64_t i = 0; i < count; ++i) {
      const size_t taps = end_[static_cast<size_t>(i)] - tap;
      // The compiler unrolls the common case of a point between four pixels of an image.
      y[i] = taps == kImageTaps ? weighted_sum(x, tap, kImageTaps) : weighted_sum(x, tap, taps);
      tap += taps;
    }
  }

  float weighted_sum(const float* x, size_t first, size_t taps) const {
    float sum = 0;
    for (size_t tap = first; tap < first + taps; ++tap) sum += weight_[tap] * x[offset_[tap]];
    return sum;
  }

  std::array<int64_t, kMaxTaps> offset_;
  std::array<float, kMaxTaps> weight_;
  std::array<size_t, kMaxTaps> end_;  // by point: the end of its taps
};

Result<std::unique_ptr<Kernel>> prepare_points(const OperatorSpec& spec) {
  return make_kernel([sampler = sampler_of(spec), samples = spec.outputs[0].shape[0]](const KernelCall& call) {
    parallel_ranges(*call.parallel, samples * sampler.points, 32 * sampler.channels, [&](int64_t first, int64_t last) {
      SamplePoints points;
      while (first < last) {
        const int64_t rest = sampler.points - first % sampler.points;
        const int64_t count = std::min({SamplePoints::block(sampler), rest, last - first});
        points.run(sampler, call, first, count);
        first += count;
      }
    });
  });
}

// Reads at most 64 elements per output element.
int64_t steps(const OperatorSpec& spec) { return element_steps(spec, kCopySteps, 64 * kCopySteps); }

constexpr KernelVariant kKernels[] = {
    {"grid_sample.reference", 0, is_plain, prepare_reference},
    {"grid_sample.points", 10, is_plain, prepare_points},
};

}  // namespace

template <>
const OperatorRules& rules<ops::GridSample>() {
  static constexpr OperatorRules kRules{
      .kind = ops::Kind::kGridSample,
      .infer = infer,
      .macs = no_macs,
      .steps = steps,
      .division = kIndivisible,
      .kernels = {kKernels},
  };
  return kRules;
}

}  // namespace nestrt::kernels
