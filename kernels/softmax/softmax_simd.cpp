// SPDX-License-Identifier: Apache-2.0
// Vectorized along the axis if it is innermost, otherwise across the inner elements, with one slice per lane.
#include <algorithm>
#include <cstdint>

#include "kernels/common/framework/function_kernel.h"
#include "kernels/common/framework/rules.h"
#include "kernels/common/layout/slices.h"
#include "kernels/common/math/integers.h"
#include "kernels/softmax/softmax.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/softmax/softmax_simd.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "kernels/common/math/vector_math-inl.h"
#include "kernels/common/simd/partial-inl.h"
#include "kernels/common/simd/simd.h"

HWY_BEFORE_NAMESPACE();
namespace nestrt::kernels::HWY_NAMESPACE {
namespace {

template <class D>
HWY_INLINE hn::Vec<D> minus_infinity(D d) {
  return hn::BitCast(d, hn::Set(hn::RebindToUnsigned<D>(), 0xFF800000u));
}

// Returns the larger value. May ignore a NaN in x, because the sum will be NaN.
template <class V>
HWY_INLINE V larger(V x, V largest) {
#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX2
  return hn::Max(x, largest);  // the second operand if one is NaN
#else
  return hn::IfThenElse(hn::Gt(x, largest), x, largest);
#endif
}

// Requires: the sum is at least 1, or NaN.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V log_of_sum(D d, V sum) {
  return hn::IfThenElse(hn::Eq(sum, sum), simd_log_positive(d, sum), sum);
}

// Returns the largest of v's lanes in every lane. For emulated vectors, does not use Highway's version, which never
// returns less than the lowest finite number.
template <class D>
HWY_INLINE hn::Vec<D> largest_of_lanes(D d, hn::Vec<D> v) {
#if HWY_TARGET == HWY_EMU128
  HWY_ALIGN float lanes[hn::MaxLanes(D())];
  hn::Store(v, d, lanes);
  return hn::Set(d, *std::max_element(lanes, lanes + hn::Lanes(d)));
#else
  return hn::MaxOfLanes(d, v);
#endif
}

// Missing lanes are set to -infinity, which changes neither the maximum nor the sum.
template <class D>
HWY_INLINE hn::Vec<D> largest_of_row(D d, const float* x, int64_t length) {
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  auto largest = minus_infinity(d);
  int64_t i = 0;
  for (; i + lanes <= length; i += lanes) largest = larger(hn::LoadU(d, x + i), largest);
  if (i < length) largest = larger(load_partial(d, x + i, length - i, hn::GetLane(minus_infinity(d))), largest);
  return largest_of_lanes(d, largest);
}

// Stores y = exp(x - largest) and returns the sum in every lane.
template <class D>
HWY_INLINE hn::Vec<D> exponentials(D d, const float* x, float* y, int64_t length, hn::Vec<D> largest) {
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  auto sum = hn::Zero(d);
  int64_t i = 0;
  for (; i + lanes <= length; i += lanes) {
    const auto e = simd_exp_nonpositive(d, hn::Sub(hn::LoadU(d, x + i), largest));
    hn::StoreU(e, d, y + i);
    sum = hn::Add(sum, e);
  }
  if (i < length) {
    const auto tail = load_partial(d, x + i, length - i, hn::GetLane(minus_infinity(d)));
    const auto e = simd_exp_nonpositive(d, hn::Sub(tail, largest));
    store_partial(d, e, y + i, length - i);
    sum = hn::Add(sum, e);
  }
  return hn::SumOfLanes(d, sum);
}

// Computes one vector of slices whose elements are `step` apart.
template <class D, class Load, class Store>
HWY_INLINE void softmax_vector(D d, int64_t length, bool log, const Load& load, const Store& store) {
  auto largest = minus_infinity(d), sum = hn::Zero(d);
  for (int64_t i = 0; i < length; ++i) largest = larger(load(i), largest);
  for (int64_t i = 0; i < length; ++i) sum = hn::Add(sum, simd_exp_nonpositive(d, hn::Sub(load(i), largest)));
  if (log) {
    const auto log_sum = log_of_sum(d, sum);
    for (int64_t i = 0; i < length; ++i) store(i, hn::Sub(hn::Sub(load(i), largest), log_sum));
    return;
  }
  const auto factor = hn::Div(hn::Set(d, 1.0f), sum);
  for (int64_t i = 0; i < length; ++i) store(i, hn::Mul(simd_exp_nonpositive(d, hn::Sub(load(i), largest)), factor));
}

}  // namespace

void softmax_row(const float* x, float* y, int64_t length, bool log) {
  const hn::ScalableTag<float> d;
  const auto largest = largest_of_row(d, x, length);
  const auto sum = exponentials(d, x, y, length, largest);
  if (log) {
    const auto log_sum = log_of_sum(d, sum);
    transform(x, y, length, [&](auto v) HWY_ATTR { return hn::Sub(hn::Sub(v, largest), log_sum); });
    return;
  }
  const auto factor = hn::Div(hn::Set(d, 1.0f), sum);
  transform(y, y, length, [&](auto v) HWY_ATTR { return hn::Mul(v, factor); });
}

// Computes `columns` adjacent slices, at most one vector. The elements of a slice are `step` apart.
void softmax_columns(const float* x, float* y, int64_t columns, int64_t length, int64_t step, bool log) {
  const hn::ScalableTag<float> d;
  if (columns == static_cast<int64_t>(hn::Lanes(d))) {
    return softmax_vector(
        d, length, log, [&](int64_t i) HWY_ATTR { return hn::LoadU(d, x + i * step); },
        [&](int64_t i, auto v) HWY_ATTR { hn::StoreU(v, d, y + i * step); });
  }
  softmax_vector(
      d, length, log, [&](int64_t i) HWY_ATTR { return load_partial(d, x + i * step, columns); },
      [&](int64_t i, auto v) HWY_ATTR { store_partial(d, v, y + i * step, columns); });
}

int64_t vector_lanes() { return static_cast<int64_t>(hn::Lanes(hn::ScalableTag<float>())); }

}  // namespace nestrt::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace nestrt::kernels {

NESTRT_SIMD_EXPORT(softmax_row)
NESTRT_SIMD_EXPORT(softmax_columns)
NESTRT_SIMD_EXPORT(vector_lanes)

bool accepts_softmax_simd(const OperatorSpec& spec) { return is_plain(spec); }

Result<std::unique_ptr<Kernel>> prepare_softmax_simd(const OperatorSpec& spec) {
  const ops::Softmax& attributes = *spec.as<ops::Softmax>();
  const AxisExtents extents = axis_extents(spec.inputs[0].shape, attributes.axis);
  const bool log = attributes.log;
  if (extents.inner == 1) {
    return make_kernel([extents, log, run = simd_pick(softmax_row_table)](const KernelCall& call) {
      const float* x = call.input<float>(0);
      float* y = call.output<float>(0);
      for_each_slice(*call.parallel, extents,
                     [&](int64_t, int64_t start) { run(x + start, y + start, extents.length, log); });
    });
  }
  const int64_t lanes = simd_pick(vector_lanes_table)();
  return make_kernel([extents, log, lanes, run = simd_pick(softmax_columns_table)](const KernelCall& call) {
    const auto [outer, length, inner] = extents;
    const int64_t groups = ceil_div(inner, lanes), slab = length * inner;
    const float* x = call.input<float>(0);
    float* y = call.output<float>(0);
    const auto softmax_groups = [&, length = length, inner = inner](int64_t first, int64_t last) {
      for (int64_t group = first; group < last; ++group) {
        const int64_t column = group % groups * lanes, start = group / groups * slab + column;
        run(x + start, y + start, std::min(lanes, inner - column), length, inner, log);
      }
    };
    parallel_ranges(*call.parallel, outer * groups, length * lanes, softmax_groups);
  });
}

}  // namespace nestrt::kernels
#endif
