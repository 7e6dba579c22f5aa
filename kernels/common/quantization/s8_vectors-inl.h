// SPDX-License-Identifier: Apache-2.0
// s8 arithmetic on vectors, for 16 elements at a time; these are contiguous in blocked16. Include from SIMD sources,
// once per instruction set.
#if defined(NESTRT_KERNELS_COMMON_S8_VECTORS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef NESTRT_KERNELS_COMMON_S8_VECTORS_INL_H_
#undef NESTRT_KERNELS_COMMON_S8_VECTORS_INL_H_
#else
#define NESTRT_KERNELS_COMMON_S8_VECTORS_INL_H_
#endif

#include "hwy/highway.h"
#include "kernels/common/quantization/s8c_arithmetic.h"

HWY_BEFORE_NAMESPACE();
namespace nestrt::kernels::HWY_NAMESPACE {
namespace {
namespace hn = hwy::HWY_NAMESPACE;

constexpr int64_t kBlock = 16;
// A block is kBlock / kLanes vectors of sums. If the target has enough lanes, its elements are a single vector.
using D32 = hn::CappedTag<int32_t, kBlock>;
using V32 = hn::Vec<D32>;
using D8 = hn::Rebind<int8_t, D32>;
using V8 = hn::Vec<D8>;
constexpr int64_t kLanes = static_cast<int64_t>(hn::MaxLanes(D32()));

HWY_INLINE V32 load_s8(const int8_t* from) { return hn::PromoteTo(D32(), hn::LoadU(D8(), from)); }

HWY_INLINE void store_s8(V8 elements, s8::Bounds bounds, int8_t* to) {
  const D8 d;
  const V8 low = hn::Set(d, static_cast<int8_t>(bounds.low)), high = hn::Set(d, static_cast<int8_t>(bounds.high));
  hn::StoreU(hn::Min(hn::Max(elements, low), high), d, to);
}

// Saturates to [-128, 127], then clamps to the bounds, which are within that range.
HWY_INLINE void store_s8(V32 sums, s8::Bounds bounds, int8_t* to) { store_s8(hn::DemoteTo(D8(), sums), bounds, to); }

// Shifts sums to which the rounding term has been added, like s8::shift_raised(). kEven: the rounding is half_even.
template <bool kEven>
struct ShiftS8 {
  ShiftS8() = default;
  explicit ShiftS8(const int32_t* shifts)
      : shift(hn::LoadU(D32(), shifts)), odd_bit(hn::Min(shift, hn::Set(D32(), 1))) {}

  HWY_INLINE V32 operator()(V32 sums) const {
    if constexpr (!kEven) return sums >> shift;
    return hn::Sub(sums, hn::And(sums >> shift, odd_bit)) >> shift;
  }

  V32 shift;
  V32 odd_bit;  // 0 for a shift by 0, which rounds nothing
};

// Computes the sum of an s8 addition, without applying bounds. kEven: the rounding is half_even.
template <bool kEven>
struct AddS8 {
  AddS8(const s8::AddShifts& add_shifts, s8::Rounding rounding)
      : shifts(add_shifts),
        rounding_term(s8::rounding_term(add_shifts.right, rounding)),
        odd_bit(add_shifts.right == 0 ? 0 : 1) {}

  HWY_INLINE V32 operator()(V32 a, V32 b) const {
    const V32 sum = hn::Add(hn::ShiftLeftSame(a, shifts.left_a), hn::ShiftLeftSame(b, shifts.left_b));
    const V32 raised = hn::Add(sum, hn::Set(D32(), rounding_term));
    if constexpr (!kEven) return hn::ShiftRightSame(raised, shifts.right);
    const V32 odd = hn::And(hn::ShiftRightSame(raised, shifts.right), hn::Set(D32(), odd_bit));
    return hn::ShiftRightSame(hn::Sub(raised, odd), shifts.right);
  }

  s8::AddShifts shifts;
  int32_t rounding_term;
  int32_t odd_bit;
};

// Computes the sum of an s8c addition, without the zero point of the output. a and b are elements minus their zero
// points.
HWY_INLINE V32 add_s8c(V32 a, V32 b, const s8c::AddFactors& factors) {
  const D32 d;
  const V32 sum = hn::Add(hn::Mul(a, hn::Set(d, factors.a)), hn::Mul(b, hn::Set(d, factors.b)));
  const V32 raised = hn::Add(sum, hn::Set(d, factors.term));
  if (factors.odd_term == 0) return hn::ShiftRightSame(raised, factors.shift);
  const V32 odd = hn::And(hn::ShiftRightSame(sum, factors.shift), hn::Set(d, 1));
  return hn::ShiftRightSame(hn::Add(raised, odd), factors.shift);
}

// The last `count` elements, padded with zeros.
template <typename T>
struct Rest {
  Rest(const T* x, int64_t count) {
    for (int64_t i = 0; i < kBlock; ++i) elements[i] = i < count ? x[i] : T{0};
  }
  T elements[kBlock];
};

// Calls function(to, from...) for each block of 16 elements; the last block may be a padded copy.
template <class Function, typename Out, typename... In>
HWY_INLINE void map_blocks(int64_t count, const Function& function, Out* to, const In*... from) {
  int64_t i = 0;
  for (; i + kBlock <= count; i += kBlock) function(to + i, (from + i)...);
  if (i == count) return;
  Out whole[kBlock];
  function(whole, Rest<In>(from + i, count - i).elements...);
  for (int64_t k = i; k < count; ++k) to[k] = whole[k - i];
}

}  // namespace
}  // namespace nestrt::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // include guard of this instruction set
