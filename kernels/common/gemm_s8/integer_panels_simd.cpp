// SPDX-License-Identifier: Apache-2.0
#include "kernels/common/gemm_s8/integer_panels.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/common/gemm_s8/integer_panels_simd.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "kernels/common/quantization/s8_vectors-inl.h"
#include "kernels/common/simd/simd.h"

HWY_BEFORE_NAMESPACE();
namespace nestrt::kernels::HWY_NAMESPACE {
namespace {

using DF = hn::RebindToFloat<D32>;

// Writes 16 results of a row. kZeros: some zero points of the weights are not 0.
template <bool kZeros>
HWY_INLINE void finish_block(const IntegerFinish& finish, const int32_t* sums, int32_t row_sum, int64_t column,
                             int32_t* to) {
  const D32 d;
  const DF df;
  for (int64_t i = 0; i < kBlock; i += kLanes) {
    V32 sum = hn::LoadU(d, sums + column + i);
    if constexpr (kZeros) sum = hn::Sub(sum, hn::Mul(hn::LoadU(d, finish.zero + column + i), hn::Set(d, row_sum)));
    if (finish.scale == nullptr) {
      hn::StoreU(sum, d, to + i);
      continue;
    }
    const auto real = hn::Mul(hn::ConvertTo(df, sum), hn::LoadU(df, finish.scale + column + i));
    hn::StoreU(hn::Add(real, hn::LoadU(df, finish.bias + column + i)), df, reinterpret_cast<float*>(to) + i);
  }
}

template <bool kZeros>
HWY_INLINE void finish_rows(const IntegerFinish& finish) {
  for (int64_t p = 0; p < finish.points; ++p) {
    const int32_t* const sums = finish.sums + p * finish.sums_stride;
    int32_t* const to = static_cast<int32_t*>(finish.output) + p * finish.output_stride;
    const int32_t row_sum = kZeros ? finish.row_sums[p] : 0;
    int64_t column = 0;
    for (; column + kBlock <= finish.columns; column += kBlock)
      finish_block<kZeros>(finish, sums, row_sum, column, to + column);
    if (column == finish.columns) continue;
    int32_t whole[kBlock];
    finish_block<kZeros>(finish, sums, row_sum, column, whole);
    for (int64_t i = column; i < finish.columns; ++i) to[i] = whole[i - column];
  }
}

}  // namespace

void finish_integer_rows(const IntegerRowFinish& finish) {
  const D32 d;
  const DF df;
  for (int64_t r = 0; r < finish.rows; ++r) {
    const IntegerRow& row = finish.parameters[r];
    const int32_t* const sums = finish.sums + r * finish.sums_stride;
    int32_t* const to = static_cast<int32_t*>(finish.output) + r * finish.output_stride;
    const V32 start = hn::Set(d, row.start), zero = hn::Set(d, row.zero);
    const auto scale = hn::Set(df, row.scale), bias = hn::Set(df, row.bias);
    const auto finish_part = [&](int64_t column, int32_t* part) HWY_ATTR {
      for (int64_t i = 0; i < kBlock; i += kLanes) {
        V32 sum = hn::Add(hn::LoadU(d, sums + column + i), start);
        if (finish.column_sums != nullptr)
          sum = hn::Sub(sum, hn::Mul(hn::LoadU(d, finish.column_sums + column + i), zero));
        if (finish.is_scaled)
          hn::StoreU(hn::Add(hn::Mul(hn::ConvertTo(df, sum), scale), bias), df, reinterpret_cast<float*>(part) + i);
        else
          hn::StoreU(sum, d, part + i);
      }
    };
    int64_t column = 0;
    for (; column + kBlock <= finish.columns; column += kBlock) finish_part(column, to + column);
    if (column == finish.columns) continue;
    int32_t whole[kBlock];
    finish_part(column, whole);
    for (int64_t i = column; i < finish.columns; ++i) to[i] = whole[i - column];
  }
}

void interleave_rows(const int8_t* rows, int64_t stride, int8_t* to) {
#if HWY_TARGET == HWY_SCALAR
  constexpr int64_t kGroup = 4;
  for (int64_t n = 0; n < kBlock; ++n)
    for (int64_t k = 0; k < kGroup; ++k) to[n * kGroup + k] = rows[k * stride + n];
#else
  const hn::FixedTag<uint8_t, 16> d;
  const hn::RepartitionToWide<decltype(d)> wide;
  const auto load = [&](int64_t k)
                        HWY_ATTR { return hn::LoadU(d, reinterpret_cast<const uint8_t*>(rows + k * stride)); };
  const auto store = [&](int64_t part, auto pairs) HWY_ATTR {
    hn::StoreU(hn::BitCast(d, pairs), d, reinterpret_cast<uint8_t*>(to + part * kBlock));
  };
  const auto a = load(0), b = load(1), c = load(2), e = load(3);
  const auto ab_low = hn::BitCast(wide, hn::InterleaveLower(d, a, b));
  const auto ce_low = hn::BitCast(wide, hn::InterleaveLower(d, c, e));
  const auto ab_high = hn::BitCast(wide, hn::InterleaveUpper(d, a, b));
  const auto ce_high = hn::BitCast(wide, hn::InterleaveUpper(d, c, e));
  store(0, hn::InterleaveLower(wide, ab_low, ce_low));
  store(1, hn::InterleaveUpper(wide, ab_low, ce_low));
  store(2, hn::InterleaveLower(wide, ab_high, ce_high));
  store(3, hn::InterleaveUpper(wide, ab_high, ce_high));
#endif
}

void finish_integers(const IntegerFinish& finish) {
  if (finish.row_sums != nullptr) return finish_rows<true>(finish);
  finish_rows<false>(finish);
}

int32_t copy_integer_row(const int8_t* from, uint8_t flip, int8_t* to, int64_t count) {
  const D8 d;
  const V8 flips = hn::Set(d, static_cast<int8_t>(flip));
  V32 sums = hn::Zero(D32());
  int64_t i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    const V8 bytes = hn::Xor(hn::LoadU(d, from + i), flips);
    hn::StoreU(bytes, d, to + i);
    sums = hn::Add(sums, hn::PromoteTo(D32(), bytes));
  }
  auto sum = static_cast<uint32_t>(hn::GetLane(hn::SumOfLanes(D32(), sums)));  // wraps
  for (; i < count; ++i) {
    to[i] = static_cast<int8_t>(static_cast<uint8_t>(from[i]) ^ flip);
    sum += static_cast<uint32_t>(int32_t{to[i]});
  }
  return static_cast<int32_t>(sum);
}

void pack_integer_panel(const int8_t* from, int64_t stride, uint8_t flip, int64_t inner, int64_t columns, int8_t* panel,
                        int32_t* sums) {
  constexpr int64_t kGroup = 4;
  uint32_t totals[kBlock] = {};
  for (int64_t first = 0; first < round_up(inner, kBlock); first += kGroup, panel += kGroup * kBlock)
    for (int64_t k = 0; k < kGroup; ++k) {
      const bool is_inside = first + k < inner;
      const int8_t* const row = from + (first + k) * stride;
      for (int64_t n = 0; n < kBlock; ++n) {
        const bool has_weight = is_inside && n < columns;
        const auto weight = has_weight ? static_cast<int8_t>(static_cast<uint8_t>(row[n]) ^ flip) : int8_t{0};
        panel[n * kGroup + k] = weight;
        totals[n] += static_cast<uint32_t>(int32_t{weight});
      }
    }
  for (int64_t n = 0; n < kBlock; ++n) sums[n] = static_cast<int32_t>(totals[n]);
}

}  // namespace nestrt::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace nestrt::kernels {

NESTRT_SIMD_EXPORT(finish_integers)
NESTRT_SIMD_EXPORT(finish_integer_rows)
NESTRT_SIMD_EXPORT(interleave_rows)
NESTRT_SIMD_EXPORT(copy_integer_row)
NESTRT_SIMD_EXPORT(pack_integer_panel)

IntegerFunctions integer_functions() {
  return {simd_pick(finish_integers_table), simd_pick(finish_integer_rows_table), simd_pick(interleave_rows_table),
          simd_pick(copy_integer_row_table), simd_pick(pack_integer_panel_table)};
}

}  // namespace nestrt::kernels
#endif
