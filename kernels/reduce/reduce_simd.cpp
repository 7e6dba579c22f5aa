// SPDX-License-Identifier: Apache-2.0
// Mean and sum over trailing axes of plain tensors and over the spatial axes of blocked tensors (global average pooling
// expressed as ReduceMean). Partial sums of a few hundred elements are computed in f32 and added in double precision.
#include <algorithm>
#include <cstdint>

#include "kernels/common/framework/function_kernel.h"
#include "kernels/common/framework/parallel_ranges.h"
#include "kernels/common/framework/rules.h"
#include "kernels/reduce/reduce.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/reduce/reduce_simd.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "kernels/common/simd/partial-inl.h"
#include "kernels/common/simd/simd.h"

HWY_BEFORE_NAMESPACE();
namespace nestrt::kernels::HWY_NAMESPACE {

double sum_row(const float* x, int64_t count) {
  const hn::ScalableTag<float> d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d)), chunk = 64 * lanes;
  double total = 0;
  for (int64_t first = 0; first < count; first += chunk) {
    const int64_t last = HWY_MIN(count, first + chunk);
    auto even = hn::Zero(d), odd = hn::Zero(d);
    int64_t i = first;
    for (; i + 2 * lanes <= last; i += 2 * lanes) {
      even = hn::Add(even, hn::LoadU(d, x + i));
      odd = hn::Add(odd, hn::LoadU(d, x + i + lanes));
    }
    for (; i + lanes <= last; i += lanes) even = hn::Add(even, hn::LoadU(d, x + i));
    if (i < last) odd = hn::Add(odd, load_partial(d, x + i, last - i));
    total += hn::GetLane(hn::SumOfLanes(d, hn::Add(even, odd)));
  }
  return total;
}

// y[lane] = sum of the pixels of one block of 16 channels.
void sum_pixels(const float* x, int64_t pixels, double* y) {
  constexpr int64_t kChunk = 64;
  const hn::CappedTag<float, 16> d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  HWY_ALIGN float partial[16];
  for (int64_t lane = 0; lane < 16; ++lane) y[lane] = 0;
  for (int64_t first = 0; first < pixels; first += kChunk) {
    const int64_t last = HWY_MIN(pixels, first + kChunk);
    for (int64_t lane = 0; lane < 16; lane += lanes) {
      auto sum = hn::Zero(d);
      for (int64_t p = first; p < last; ++p) sum = hn::Add(sum, hn::LoadU(d, x + p * 16 + lane));
      hn::Store(sum, d, partial + lane);
    }
    for (int64_t lane = 0; lane < 16; ++lane) y[lane] += partial[lane];
  }
}

}  // namespace nestrt::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace nestrt::kernels {

NESTRT_SIMD_EXPORT(sum_row)
NESTRT_SIMD_EXPORT(sum_pixels)

namespace {

using Kind = ops::ReduceKind;

bool is_sum_or_mean(const OperatorSpec& spec) {
  const Kind kind = spec.as<ops::Reduce>()->kind;
  return spec.inputs[0].type == DataType::kF32 && (kind == Kind::kMean || kind == Kind::kSum);
}

double divisor(const OperatorSpec& spec, int64_t count) {
  return spec.as<ops::Reduce>()->kind == Kind::kMean ? static_cast<double>(count) : 1.0;
}

// Returns the first of the trailing reduced axes, or -1 if other axes are reduced too. Axes of one element count as
// reduced or not, as needed.
int first_reduced_axis(const OperatorSpec& spec) {
  const Shape& shape = spec.inputs[0].shape;
  const uint32_t mask = reduced_axes(spec);
  int first = shape.rank();
  while (first > 0 && ((mask & (1u << (first - 1))) != 0 || shape[first - 1] == 1)) --first;
  for (int axis = 0; axis < first; ++axis)
    if ((mask & (1u << axis)) != 0 && shape[axis] != 1) return -1;
  return first;
}

}  // namespace

bool accepts_reduce_rows(const OperatorSpec& spec) {
  constexpr int64_t kShort = 32;
  if (!is_plain(spec) || !is_sum_or_mean(spec) || first_reduced_axis(spec) < 0) return false;
  const Shape& shape = spec.inputs[0].shape;
  const int64_t length = shape.product(first_reduced_axis(spec), shape.rank());
  return length >= kShort || shape.num_elements() <= kShort;
}

Result<std::unique_ptr<Kernel>> prepare_reduce_rows(const OperatorSpec& spec) {
  const Shape& shape = spec.inputs[0].shape;
  const int first_axis = first_reduced_axis(spec);
  const int64_t rows = shape.product(0, first_axis), length = shape.product(first_axis, shape.rank());
  return make_kernel([=, divide = divisor(spec, length), sum = simd_pick(sum_row_table)](const KernelCall& call) {
    const float* x = call.input<float>(0);
    float* y = call.output<float>(0);
    parallel_ranges(*call.parallel, rows, length, [&](int64_t first, int64_t last) {
      for (int64_t row = first; row < last; ++row) y[row] = static_cast<float>(sum(x + row * length, length) / divide);
    });
  });
}

bool accepts_reduce_blocked(const OperatorSpec& spec) {
  const TensorSpec &input = spec.inputs[0], &output = spec.outputs[0];
  const int rank = input.shape.rank();
  if (input.layout != Layout::kBlocked16 || rank < 3 || !is_sum_or_mean(spec)) return false;
  const uint32_t spatial_axes = (1u << rank) - 4;
  const bool same_layout = output.layout == Layout::kBlocked16 && output.shape.rank() >= 2;
  return reduced_axes(spec) == spatial_axes && (same_layout || output.layout == Layout::kPlain);
}

Result<std::unique_ptr<Kernel>> prepare_reduce_blocked(const OperatorSpec& spec) {
  const Shape& shape = spec.inputs[0].shape;
  const int64_t images = shape[0], channels = shape[1], pixels = shape.product(2, shape.rank());
  const int64_t blocks = (channels + 15) / 16;
  const bool plain = spec.outputs[0].layout == Layout::kPlain;
  return make_kernel([=, divide = divisor(spec, pixels), sum = simd_pick(sum_pixels_table)](const KernelCall& call) {
    const float* x = call.input<float>(0);
    float* y = call.output<float>(0);
    parallel_ranges(*call.parallel, images * blocks, pixels * 16, [&](int64_t first, int64_t last) {
      for (int64_t block = first; block < last; ++block) {
        double sums[16];
        sum(x + block * pixels * 16, pixels, sums);
        const int64_t channel = block % blocks * 16;
        const int64_t lanes = plain ? std::min<int64_t>(16, channels - channel) : 16;
        float* out = y + (plain ? block / blocks * channels + channel : block * 16);
        for (int64_t lane = 0; lane < lanes; ++lane) out[lane] = static_cast<float>(sums[lane] / divide);
      }
    });
  });
}

}  // namespace nestrt::kernels
#endif
