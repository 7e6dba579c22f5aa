// SPDX-License-Identifier: Apache-2.0
// s8 pools of blocked16 tensors, 16 channels at a time.
#include <algorithm>

#include "kernels/common/framework/function_kernel.h"
#include "kernels/common/framework/parallel_ranges.h"
#include "kernels/common/math/integers.h"
#include "kernels/common/quantization/s8c_operands.h"
#include "kernels/pool/pool_rows.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/pool/pool_s8_simd.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "kernels/common/quantization/s8_vectors-inl.h"
#include "kernels/common/simd/simd.h"

HWY_BEFORE_NAMESPACE();
namespace nestrt::kernels::HWY_NAMESPACE {
namespace {

constexpr int64_t kVectors = kBlock / kLanes;

// Calls visit(pixel) for the pixels of a window in row-major order.
template <class Visit>
HWY_INLINE void for_each_pixel(const PoolParameters& pool, const int8_t* plane, const PoolWindow& d,
                               const PoolWindow& h, const PoolWindow& w, const Visit& visit) {
  const int64_t step = pool.axes[2].dilation * kBlock;
  for (int64_t i = 0; i < d.count; ++i) {
    for (int64_t j = 0; j < h.count; ++j) {
      const int64_t row =
          (d.first + i * pool.axes[0].dilation) * pool.axes[1].input + h.first + j * pool.axes[1].dilation;
      const int8_t* x = plane + (row * pool.axes[2].input + w.first) * kBlock;
      for (int64_t k = 0; k < w.count; ++k, x += step) visit(x);
    }
  }
}

// --- Maxima: first of columns, which neighbouring windows share, then of windows ----------------------------------

constexpr int64_t kMaxColumns = 64;  // buffered columns
constexpr int64_t kUnroll = 4;

// Calls visit(row) for the input rows that a row of outputs reads, each starting at `column`.
template <class Visit>
HWY_INLINE void for_each_row(const PoolParameters& pool, const int8_t* plane, const PoolWindow& d, const PoolWindow& h,
                             int64_t column, const Visit& visit) {
  const int8_t* slice = plane + (d.first * pool.axes[1].input + h.first) * pool.axes[2].input * kBlock;
  const int64_t row_step = pool.axes[1].dilation * pool.axes[2].input * kBlock;
  const int64_t slice_step = pool.axes[0].dilation * pool.axes[1].input * pool.axes[2].input * kBlock;
  for (int64_t i = 0; i < d.count; ++i, slice += slice_step) {
    const int8_t* row = slice + column * kBlock;
    for (int64_t j = 0; j < h.count; ++j, row += row_step) visit(row);
  }
}

// Computes, over all rows, the maxima of `count` adjacent elements, a whole number of pixels.
HWY_INLINE void column_maxima(const PoolParameters& pool, const int8_t* plane, const PoolWindow& d, const PoolWindow& h,
                              int64_t column, int64_t count, int8_t lowest, int8_t* to) {
  const hn::ScalableTag<int8_t> wide;
  const hn::CappedTag<int8_t, kBlock> pixel;
  constexpr auto kWide = static_cast<int64_t>(hn::MaxLanes(wide)), kPixel = static_cast<int64_t>(hn::MaxLanes(pixel));
  int64_t at = 0;
  for (; at + kWide * kUnroll <= count; at += kWide * kUnroll) {
    hn::Vec<decltype(wide)> best[kUnroll];
    for (auto& v : best) v = hn::Set(wide, lowest);
    for_each_row(pool, plane, d, h, column, [&](const int8_t* row) HWY_ATTR {
      for (int64_t v = 0; v < kUnroll; ++v) best[v] = hn::Max(best[v], hn::LoadU(wide, row + at + v * kWide));
    });
    for (int64_t v = 0; v < kUnroll; ++v) hn::StoreU(best[v], wide, to + at + v * kWide);
  }
  for (; at < count; at += kPixel) {
    auto best = hn::Set(pixel, lowest);
    for_each_row(pool, plane, d, h, column,
                 [&](const int8_t* row) HWY_ATTR { best = hn::Max(best, hn::LoadU(pixel, row + at)); });
    hn::StoreU(best, pixel, to + at);
  }
}

// Computes one output from the columns of its window. Their number is kCount, or `count` if kCount is 0.
template <int kCount>
HWY_INLINE void window_maximum(const int8_t* columns, int64_t count, int64_t step, int8_t lowest, int8_t* to) {
  const hn::CappedTag<int8_t, kBlock> tag;
  constexpr auto kLanes = static_cast<int64_t>(hn::MaxLanes(tag));
  if constexpr (kCount > 0) count = kCount;
  hn::Vec<decltype(tag)> best[kBlock / kLanes];
  for (auto& v : best) v = hn::Set(tag, lowest);
  for (int64_t k = 0; k < count; ++k, columns += step)
    for (int64_t v = 0; v < kBlock / kLanes; ++v) best[v] = hn::Max(best[v], hn::LoadU(tag, columns + v * kLanes));
  for (int64_t v = 0; v < kBlock / kLanes; ++v) hn::StoreU(best[v], tag, to + v * kLanes);
}

// Computes `count` outputs whose windows are inside the input.
template <int kCount>
HWY_INLINE void window_maxima(const PoolAxis& width, const int8_t* columns, int64_t count, int8_t lowest, int8_t* to) {
  const int64_t stride = width.stride * kBlock, step = width.dilation * kBlock;
  for (int64_t i = 0; i < count; ++i, columns += stride, to += kBlock)
    window_maximum<kCount>(columns, width.kernel, step, lowest, to);
}

// Computes outputs [first, last), whose windows may extend beyond the input. `begin`: the first column in `columns`.
void cut_window_maxima(const PoolAxis& width, const int8_t* columns, int64_t begin, int64_t first, int64_t last,
                       int8_t lowest, int8_t* to) {
  for (int64_t i = first; i < last; ++i, to += kBlock) {
    const PoolWindow w = width.window(i);
    const int8_t* const from = columns + (w.count == 0 ? 0 : w.first - begin) * kBlock;
    window_maximum<0>(from, w.count, width.dilation * kBlock, lowest, to);
  }
}

// Computes outputs [first, last), using faster code for windows inside the input.
void output_maxima(const PoolAxis& width, const int8_t* columns, int64_t begin, int64_t first, int64_t last,
                   int8_t lowest, int8_t* to) {
  const auto is_cut = [&](int64_t i) { return width.window(i).count < width.kernel; };
  int64_t whole = first, whole_end = last;
  while (whole < whole_end && is_cut(whole)) ++whole;
  while (whole < whole_end && is_cut(whole_end - 1)) --whole_end;
  const auto output = [&](int64_t i) { return to + (i - first) * kBlock; };
  cut_window_maxima(width, columns, begin, first, whole, lowest, output(first));
  cut_window_maxima(width, columns, begin, whole_end, last, lowest, output(whole_end));
  if (whole == whole_end) return;
  const int8_t* const from = columns + (width.window(whole).first - begin) * kBlock;
  if (width.kernel == 3) return window_maxima<3>(width, from, whole_end - whole, lowest, output(whole));
  window_maxima<0>(width, from, whole_end - whole, lowest, output(whole));
}

// Returns whether all columns of a window fit in the buffer.
bool keeps_columns(const PoolAxis& width) { return width.extent() <= kMaxColumns; }

// Computes a row of outputs, given the windows d and h along the other axes. `lowest`: the result for a window without
// elements. Requires: keeps_columns().
void row_maxima(const PoolParameters& pool, const int8_t* plane, const PoolWindow& d, const PoolWindow& h,
                int8_t lowest, int8_t* to) {
  const PoolAxis& width = pool.axes[2];
  const int64_t per_pass = (kMaxColumns - width.extent()) / width.stride + 1;
  HWY_ALIGN int8_t columns[kMaxColumns * kBlock];
  for (int64_t x = 0; x < width.output; x += per_pass) {
    const int64_t last = HWY_MIN(x + per_pass, width.output), begin = HWY_MAX(x * width.stride - width.pad_begin, 0);
    const int64_t end = HWY_MIN((last - 1) * width.stride - width.pad_begin + width.extent(), width.input);
    if (begin < end) column_maxima(pool, plane, d, h, begin, (end - begin) * kBlock, lowest, columns);
    output_maxima(width, columns, begin, x, last, lowest, to + x * kBlock);
  }
}

}  // namespace

// Computes a row of outputs, given the windows d and h along the other axes.
void s8_maxima(const PoolParameters& pool, const int8_t* plane, const PoolWindow& d, const PoolWindow& h, int8_t* to) {
  const auto lowest = static_cast<int8_t>(s8::kLow);
  if (keeps_columns(pool.axes[2])) return row_maxima(pool, plane, d, h, lowest, to);
  const D8 d8;
  for (int64_t i = 0; i < pool.axes[2].output; ++i, to += kBlock) {
    V8 best[kVectors];
    for (V8& v : best) v = hn::Set(d8, lowest);
    for_each_pixel(pool, plane, d, h, pool.axes[2].window(i), [&](const int8_t* x) HWY_ATTR {
      for (int64_t v = 0; v < kVectors; ++v) best[v] = hn::Max(best[v], hn::LoadU(d8, x + v * kLanes));
    });
    for (int64_t v = 0; v < kVectors; ++v) hn::StoreU(best[v], d8, to + v * kLanes);
  }
}

// Sums one window.
void s8_sums(const PoolParameters& pool, const int8_t* plane, const PoolWindow& d, const PoolWindow& h,
             const PoolWindow& w, int32_t* to) {
  V32 sums[kVectors];
  for (V32& sum : sums) sum = hn::Zero(D32());
  for_each_pixel(pool, plane, d, h, w, [&](const int8_t* x) HWY_ATTR {
    for (int64_t v = 0; v < kVectors; ++v) sums[v] = hn::Add(sums[v], load_s8(x + v * kLanes));
  });
  for (int64_t v = 0; v < kVectors; ++v) hn::StoreU(sums[v], D32(), to + v * kLanes);
}

// Computes s8c::exact_average() of 16 sums of stored integers. Requires: 0 < count <= kMaxExactCount. Before
// truncation, adds slightly more than 1/2. The excess is less than the distance of any other average to a half, and the
// rounding errors of f32 are even smaller, so results are exact.
void exact_averages(const int32_t* sums, int64_t count, ops::Rounding rounding, int8_t* to) {
  const D32 d;
  const hn::Rebind<float, D32> f;
  const float reciprocal = 1.0f / static_cast<float>(count);
  const auto half = hn::Set(f, 0.5f + 0.25f * reciprocal);
  for (int64_t i = 0; i < kBlock; i += kLanes) {
    const auto mean = hn::Mul(hn::ConvertTo(f, hn::LoadU(d, sums + i)), hn::Set(f, reciprocal));
    const auto rounded = rounding == ops::Rounding::kHalfAway
                             ? hn::CopySignToAbs(hn::Trunc(hn::Add(hn::Abs(mean), half)), mean)
                             : hn::Floor(hn::Add(mean, half));
    store_s8(hn::ConvertTo(d, rounded), {}, to + i);
  }
}

}  // namespace nestrt::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace nestrt::kernels {

NESTRT_SIMD_EXPORT(s8_maxima)
NESTRT_SIMD_EXPORT(s8_sums)
NESTRT_SIMD_EXPORT(exact_averages)

namespace {

constexpr int64_t kChannels = 16;  // per block
constexpr int64_t kMaxExactCount = 1024;

// Computes rows of outputs for one block of channels.
class RowsS8 {
 public:
  explicit RowsS8(const OperatorSpec& spec)
      : rounding_(spec.as<ops::Pool>()->rounding),
        scaled_(s8c::has_scales(spec.inputs[0])),
        maxima_(simd_pick(s8_maxima_table)),
        sums_(simd_pick(s8_sums_table)),
        exact_averages_(simd_pick(exact_averages_table)) {}

  // Computes a row of outputs, given the windows along depth and height.
  void run(const PoolParameters& pool, const int8_t* plane, const PoolWindow& d, const PoolWindow& h,
           int8_t* to) const {
    if (pool.kind == ops::PoolKind::kMax) return maxima_(pool, plane, d, h, to);
    for (int64_t x = 0; x < pool.axes[2].output; ++x, to += kChannels) {
      const PoolWindow w = pool.axes[2].window(x);
      int32_t sums[kChannels];
      sums_(pool, plane, d, h, w, sums);
      finish(sums, d.count * h.count * w.count, d.divisor * h.divisor * w.divisor, to);
    }
  }

  // Reads the scales of the tensors, if any.
  Status read_scales(const OperatorSpec& spec) {
    if (!scaled_) return {};
    NESTRT_ASSIGN_OR_RETURN(from_, s8c::affine_of(spec.inputs[0], "the input"));
    NESTRT_ASSIGN_OR_RETURN(to_, s8c::affine_of(spec.outputs[0], "the output"));
    return {};
  }

 private:
  // Divides the sums of windows with `count` elements by `divisor`.
  void finish(const int32_t* sums, int64_t count, int64_t divisor, int8_t* to) const {
    if (is_exact() && divisor == count && count > 0 && count <= kMaxExactCount)
      return exact_averages_(sums, count, rounding_, to);
    const auto zeros = static_cast<int32_t>(count) * from_.zero_point;
    for (int64_t i = 0; i < kChannels; ++i)
      to[i] = !scaled_     ? s8::average(sums[i], divisor, rounding_)
              : is_exact() ? s8c::exact_average(sums[i] - zeros, divisor, to_.zero_point, rounding_)
                           : s8c::average(sums[i] - zeros, divisor, from_.scale, to_);
  }
  bool is_exact() const { return !ops::has_exponent_form(rounding_); }

  ops::Rounding rounding_;
  bool scaled_;
  s8c::Affine from_, to_;
  decltype(simd_pick(s8_maxima_table)) maxima_;
  decltype(simd_pick(s8_sums_table)) sums_;
  decltype(simd_pick(exact_averages_table)) exact_averages_;
};

class PoolRowsS8 final : public PoolRows {
 public:
  PoolRowsS8(const OperatorSpec& spec, const RowsS8& rows)
      : PoolRows(spec.inputs[0].shape, pool_parameters(spec), 1), rows_(rows) {}

 private:
  void run_row(const std::byte* block, const PoolWindow& depth, const PoolWindow& height,
               std::byte* to) const override {
    rows_.run(pool(), reinterpret_cast<const int8_t*>(block), depth, height, reinterpret_cast<int8_t*>(to));
  }

  RowsS8 rows_;
};

bool is_s8_pool(const OperatorSpec& spec) {
  return spec.inputs[0].type == DataType::kS8 && spec.inputs[0].layout == Layout::kBlocked16;
}

}  // namespace

bool accepts_pool_s8_blocked16(const OperatorSpec& spec) {
  return is_s8_pool(spec) && spec.outputs[0].layout == Layout::kBlocked16;
}

Result<std::unique_ptr<Kernel>> prepare_pool_s8_blocked16(const OperatorSpec& spec) {
  RowsS8 rows(spec);
  NESTRT_RETURN_IF_ERROR(rows.read_scales(spec));
  return std::unique_ptr<Kernel>(std::make_unique<PoolRowsS8>(spec, rows));
}

bool accepts_pool_s8_global(const OperatorSpec& spec) {
  const Shape& output = spec.outputs[0].shape;
  return is_s8_pool(spec) && output.product(2, output.rank()) == 1;
}

Result<std::unique_ptr<Kernel>> prepare_pool_s8_global(const OperatorSpec& spec) {
  RowsS8 rows(spec);
  NESTRT_RETURN_IF_ERROR(rows.read_scales(spec));
  const int64_t channels = spec.inputs[0].shape[1], blocks = ceil_div(channels, kChannels);
  const int64_t to_block = block_size(spec.outputs[0].layout);
  const int64_t batch_stride = round_up(channels, to_block);
  const PoolParameters pool = pool_parameters(spec);
  const PoolWindow depth = pool.axes[0].window(0), height = pool.axes[1].window(0);
  return make_kernel([=, planes = spec.inputs[0].shape[0] * blocks](const KernelCall& call) {
    const int64_t in_plane = pool.input_plane() * kChannels;
    parallel_ranges(*call.parallel, planes, in_plane, [&](int64_t first, int64_t last) {
      for (int64_t plane = first; plane < last; ++plane) {
        const int64_t channel = plane % blocks * kChannels;
        int8_t result[kChannels];
        rows.run(pool, call.input<int8_t>(0) + plane * in_plane, depth, height, result);
        std::copy_n(result, std::min(kChannels, channels - channel),
                    call.output<int8_t>(0) + plane / blocks * batch_stride + channel);
      }
    });
  });
}

}  // namespace nestrt::kernels
#endif
