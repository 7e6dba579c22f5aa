// SPDX-License-Identifier: Apache-2.0
#include "kernels/common/quantization/quantize_rows.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/common/quantization/quantize_rows_simd.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "kernels/common/quantization/s8_vectors-inl.h"
#include "kernels/common/simd/simd.h"

HWY_BEFORE_NAMESPACE();
namespace nestrt::kernels::HWY_NAMESPACE {
namespace {

using DF = hn::RebindToFloat<D32>;
using VF = hn::Vec<DF>;

HWY_INLINE VF number_or_zero(VF x) { return hn::IfThenElseZero(hn::Eq(x, x), x); }

template <typename T>
HWY_INLINE void quantize_all(const s8c::Affine& to, const float* x, T* y, int64_t count) {
  const DF d;
  const D8 bytes;
  const V32 zero_point = hn::Set(D32(), to.zero_point);
  const VF scale = hn::Set(d, to.scale), low = hn::Set(d, static_cast<float>(s8::kLow - to.zero_point)),
           high = hn::Set(d, static_cast<float>(s8::kHigh - to.zero_point));
  const V8 flip = hn::Set(bytes, std::is_signed_v<T> ? int8_t{0} : int8_t{-128});
  const auto quantize_block = [&](T* to_block, const float* from) HWY_ATTR {
    for (int64_t i = 0; i < kBlock; i += kLanes) {
      const VF number = number_or_zero(hn::Div(hn::LoadU(d, from + i), scale));
      const V32 rounded = hn::NearestInt(hn::Min(hn::Max(number, low), high));
      const V8 narrow = hn::DemoteTo(bytes, hn::Add(rounded, zero_point));
      hn::StoreU(hn::Xor(narrow, flip), bytes, reinterpret_cast<int8_t*>(to_block + i));
    }
  };
  map_blocks(count, quantize_block, y, x);
}

}  // namespace

void quantize_to_s8(const s8c::Affine& to, const float* x, int8_t* y, int64_t count) { quantize_all(to, x, y, count); }
void quantize_to_u8(const s8c::Affine& to, const float* x, uint8_t* y, int64_t count) { quantize_all(to, x, y, count); }

Extremes extremes_of(const float* x, int64_t count) {
  const DF d;
  VF low = hn::Zero(d), high = low;
  int64_t i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    const VF number = number_or_zero(hn::LoadU(d, x + i));
    low = hn::Min(low, number);
    high = hn::Max(high, number);
  }
  Extremes result{hn::GetLane(hn::MinOfLanes(d, low)), hn::GetLane(hn::MaxOfLanes(d, high))};
  for (; i < count; ++i)
    if (x[i] == x[i]) result.add({x[i], x[i]});
  return result;
}

}  // namespace nestrt::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace nestrt::kernels {

NESTRT_SIMD_EXPORT(extremes_of)
NESTRT_SIMD_EXPORT(quantize_to_s8)
NESTRT_SIMD_EXPORT(quantize_to_u8)

QuantizeRows quantize_rows() {
  return {simd_pick(extremes_of_table), simd_pick(quantize_to_s8_table), simd_pick(quantize_to_u8_table)};
}

}  // namespace nestrt::kernels
#endif
