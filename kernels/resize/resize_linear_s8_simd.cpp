// SPDX-License-Identifier: Apache-2.0
// Linear interpolation of s8 images [N, C, H, W], plain or blocked16: first along columns, then along rows. Adjacent
// outputs often read the same rows, so the last two interpolated rows are cached.
#include <algorithm>
#include <array>

#include "kernels/common/framework/function_kernel.h"
#include "kernels/common/framework/parallel_ranges.h"
#include "kernels/common/math/saturate.h"
#include "kernels/resize/resize.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/resize/resize_linear_s8_simd.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "kernels/common/quantization/s8_vectors-inl.h"
#include "kernels/common/simd/simd.h"

HWY_BEFORE_NAMESPACE();
namespace nestrt::kernels::HWY_NAMESPACE {
namespace {

// Vectorized s8c::interpolate().
HWY_INLINE V32 interpolate_vectors(V32 a, V32 b, V32 weight) {
  return hn::Add(hn::ShiftLeft<s8c::kInterpolationBits>(a), hn::Mul(hn::Sub(b, a), weight));
}

}  // namespace

// Interpolates a row of pixels with 16 channels.
void interpolate_pixels(const int8_t* row, const int32_t* indices, const int32_t* weights, int64_t width, int32_t* to) {
  const D32 d;
  for (int64_t x = 0; x < width; ++x, to += kBlock) {
    const int8_t *const left = row + indices[2 * x] * kBlock, *const right = row + indices[2 * x + 1] * kBlock;
    const V32 weight = hn::Set(d, weights[x]);
    for (int64_t lane = 0; lane < kBlock; lane += kLanes)
      hn::StoreU(interpolate_vectors(load_s8(left + lane), load_s8(right + lane), weight), d, to + lane);
  }
}

// Interpolates a row of single elements.
void interpolate_elements(const int8_t* row, const int32_t* indices, const int32_t* weights, int64_t width,
                          int32_t* to) {
  for (int64_t x = 0; x < width; ++x)
    to[x] = s8c::interpolate(row[indices[2 * x]], row[indices[2 * x + 1]], weights[x]);
}

// Interpolates between two rows of `count` results of the functions above.
void interpolate_rows(const int32_t* top, const int32_t* bottom, int32_t weight, int64_t count, int8_t* to) {
  constexpr int kShift = 2 * s8c::kInterpolationBits;
  const D32 d;
  const V32 weights = hn::Set(d, weight), half = hn::Set(d, int32_t{1} << (kShift - 1));
  const auto block = [&](int8_t* y, const int32_t* a, const int32_t* b) HWY_ATTR {
    for (int64_t lane = 0; lane < kBlock; lane += kLanes) {
      const V32 sum = interpolate_vectors(hn::LoadU(d, a + lane), hn::LoadU(d, b + lane), weights);
      store_s8(hn::ShiftRight<kShift>(hn::Add(sum, half)), {}, y + lane);
    }
  };
  map_blocks(count, block, to, top, bottom);
}

}  // namespace nestrt::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace nestrt::kernels {

NESTRT_SIMD_EXPORT(interpolate_pixels)
NESTRT_SIMD_EXPORT(interpolate_elements)
NESTRT_SIMD_EXPORT(interpolate_rows)

namespace {

class LinearS8 final : public Kernel {
 public:
  explicit LinearS8(const OperatorSpec& spec)
      : block_(block_size(spec.inputs[0].layout)),
        planes_(spec.inputs[0].shape[0] * ceil_div(spec.inputs[0].shape[1], block_)),
        y_(fixed_axis(spec, 2)),
        x_(fixed_axis(spec, 3)),
        across_(block_ == 1 ? simd_pick(interpolate_elements_table) : simd_pick(interpolate_pixels_table)),
        rows_(simd_pick(interpolate_rows_table)) {}

  ScratchSize scratch(int) const override {
    return {.per_thread = saturated_bytes(kRows, row_length(), sizeof(int32_t))};
  }

  void run(const KernelCall& call) const override {
    const int64_t rows = planes_ * y_.output;
    const int64_t tasks = std::min(rows, range_count(*call.parallel, rows * row_length()));
    call.parallel->parallel_for(tasks, [&](int64_t task, int slot) {
      run_rows(call, part_of(rows, task, tasks), call.slot_scratch<int32_t>(slot, scratch(1).per_thread));
    });
  }

 private:
  static constexpr int64_t kRows = 2;

  // Cache of the interpolated rows that were used last. `numbers`: their row numbers in the input.
  struct KeptRows {
    std::array<int32_t*, kRows> rows;
    std::array<int64_t, kRows> numbers{-1, -1};
  };

  int64_t row_length() const { return x_.output * block_; }

  void run_rows(const KernelCall& call, Range rows, int32_t* buffer) const {
    KeptRows kept{{buffer, buffer + row_length()}};
    for (int64_t row = rows.first; row < rows.last; ++row) {
      const auto at = static_cast<size_t>(row % y_.output);
      const int64_t plane = row / y_.output * y_.input;
      const int64_t above = plane + y_.indices[2 * at], below = plane + y_.indices[2 * at + 1];
      const int32_t* const top = row_across(call, above, below, kept);
      const int32_t* const bottom = row_across(call, below, above, kept);
      rows_(top, bottom, y_.weights[at], row_length(), call.output<int8_t>(0) + row * row_length());
    }
  }

  // Returns an interpolated row, from the cache if possible. Does not evict row `other`.
  const int32_t* row_across(const KernelCall& call, int64_t number, int64_t other, KeptRows& kept) const {
    for (size_t i = 0; i < kept.numbers.size(); ++i)
      if (kept.numbers[i] == number) return kept.rows[i];
    const size_t slot = kept.numbers[0] == other ? 1 : 0;
    kept.numbers[slot] = number;
    across_(call.input<int8_t>(0) + number * x_.input * block_, x_.indices.data(), x_.weights.data(), x_.output,
            kept.rows[slot]);
    return kept.rows[slot];
  }

  int64_t block_, planes_;
  FixedAxis y_, x_;
  decltype(simd_pick(interpolate_pixels_table)) across_;
  decltype(simd_pick(interpolate_rows_table)) rows_;
};

}  // namespace

bool accepts_resize_linear_s8(const OperatorSpec& spec) {
  const TensorSpec &input = spec.inputs[0], &output = spec.outputs[0];
  return input.type == DataType::kS8 && spec.as<ops::Resize>()->mode == ops::ResizeMode::kLinear &&
         input.layout == output.layout && (input.layout == Layout::kPlain || input.layout == Layout::kBlocked16) &&
         input.packing == Packing::kNone && output.shape.num_elements() > 0;
}

Result<std::unique_ptr<Kernel>> prepare_resize_linear_s8(const OperatorSpec& spec) {
  return std::unique_ptr<Kernel>(std::make_unique<LinearS8>(spec));
}

}  // namespace nestrt::kernels
#endif
