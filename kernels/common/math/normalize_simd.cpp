// SPDX-License-Identifier: Apache-2.0
#include "kernels/common/math/normalize.h"

#include <cmath>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/common/math/normalize_simd.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "kernels/common/simd/partial-inl.h"
#include "kernels/common/simd/simd.h"

HWY_BEFORE_NAMESPACE();
namespace nestrt::kernels::HWY_NAMESPACE {
namespace {

// A vector of as many f32 lanes as a full vector has f64 lanes.
using DoubleTag = hn::ScalableTag<double>;
using FloatTag = hn::Rebind<float, DoubleTag>;
using Doubles = hn::Vec<DoubleTag>;

HWY_INLINE Doubles load_doubles(const float* x) { return hn::PromoteTo(DoubleTag(), hn::LoadU(FloatTag(), x)); }

// Returns the sum of term(x) over all elements.
template <class Term>
HWY_INLINE double sum_of(const float* x, int64_t count, const Term& term) {
  const DoubleTag d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  auto sum0 = hn::Zero(d), sum1 = sum0, sum2 = sum0, sum3 = sum0;
  int64_t i = 0;
  for (; i + 4 * lanes <= count; i += 4 * lanes) {
    sum0 = hn::Add(sum0, term(load_doubles(x + i)));
    sum1 = hn::Add(sum1, term(load_doubles(x + i + lanes)));
    sum2 = hn::Add(sum2, term(load_doubles(x + i + 2 * lanes)));
    sum3 = hn::Add(sum3, term(load_doubles(x + i + 3 * lanes)));
  }
  for (; i + lanes <= count; i += lanes) sum0 = hn::Add(sum0, term(load_doubles(x + i)));
  double rest = 0;
  for (; i < count; ++i) rest += hn::GetLane(term(hn::Set(d, static_cast<double>(x[i]))));
  return rest + hn::GetLane(hn::SumOfLanes(d, hn::Add(hn::Add(sum0, sum1), hn::Add(sum2, sum3))));
}

// y = function(x, position, count) for vectors of f64.
template <class Function>
HWY_INLINE void map_doubles(const float* x, float* y, int64_t count, const Function& function) {
  const FloatTag d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  int64_t i = 0;
  for (; i + lanes <= count; i += lanes) hn::StoreU(function(load_doubles(x + i), i, lanes), d, y + i);
  if (i == count) return;
  const auto tail = hn::PromoteTo(DoubleTag(), load_partial(d, x + i, count - i));
  store_partial(d, function(tail, i, count - i), y + i, count - i);
}

HWY_INLINE hn::Vec<FloatTag> load_some(const float* x, int64_t count) {
  const FloatTag d;
  return count == static_cast<int64_t>(hn::Lanes(d)) ? hn::LoadU(d, x) : load_partial(d, x, count);
}

HWY_INLINE Doubles term_of_norm(int p, Doubles v) { return p == 1 ? hn::Abs(v) : hn::Mul(v, v); }

// Returns the factor that normalizes elements with this sum of terms, or zero if the sum is zero.
HWY_INLINE Doubles factor_of_norm(int p, Doubles sum) {
  const DoubleTag d;
  const Doubles norm = p == 1 ? sum : hn::Sqrt(sum);
  return hn::IfThenZeroElse(hn::Eq(norm, hn::Zero(d)), hn::Div(hn::Set(d, 1.0), norm));
}

}  // namespace

void normalize_row(const NormalizedRow& row) {
  const DoubleTag d;
  const FloatTag d32;
  const auto length = static_cast<double>(row.count);
  const double mean = sum_of(row.x, row.count, [](Doubles v) HWY_ATTR { return v; }) / length;
  const Doubles means = hn::Set(d, mean);
  const double variance = sum_of(row.x, row.count,
                                 [&](Doubles v) HWY_ATTR {
                                   const Doubles distance = hn::Sub(v, means);
                                   return hn::Mul(distance, distance);
                                 }) /
                          length;
  const Doubles factor = hn::Set(d, row.factor / std::sqrt(variance + row.epsilon)), offset = hn::Set(d, row.offset);
  map_doubles(row.x, row.y, row.count, [&](Doubles v, int64_t i, int64_t count) HWY_ATTR {
    auto y = hn::DemoteTo(d32, hn::MulAdd(hn::Sub(v, means), factor, offset));
    if (row.scale == nullptr) return y;
    y = hn::Mul(y, load_some(row.scale + i, count));
    return row.bias == nullptr ? y : hn::Add(y, load_some(row.bias + i, count));
  });
}

void lp_normalize_row(const float* x, float* y, int64_t count, int p) {
  const double sum = sum_of(x, count, [&](Doubles v) HWY_ATTR { return term_of_norm(p, v); });
  const Doubles factor = factor_of_norm(p, hn::Set(DoubleTag(), sum));
  map_doubles(x, y, count,
              [&](Doubles v, int64_t, int64_t) HWY_ATTR { return hn::DemoteTo(FloatTag(), hn::Mul(v, factor)); });
}

void lp_normalize_columns(const float* x, float* y, int64_t columns, int64_t count, int64_t step, int p) {
  const DoubleTag d;
  const FloatTag d32;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  for (int64_t c = 0; c < columns; c += lanes) {
    const int64_t some = HWY_MIN(lanes, columns - c);
    auto sum = hn::Zero(d);
    for (int64_t i = 0; i < count; ++i)
      sum = hn::Add(sum, term_of_norm(p, hn::PromoteTo(d, load_some(x + i * step + c, some))));
    const Doubles factor = factor_of_norm(p, sum);
    for (int64_t i = 0; i < count; ++i) {
      const auto v = hn::Mul(hn::PromoteTo(d, load_some(x + i * step + c, some)), factor);
      if (some == lanes)
        hn::StoreU(hn::DemoteTo(d32, v), d32, y + i * step + c);
      else
        store_partial(d32, hn::DemoteTo(d32, v), y + i * step + c, some);
    }
  }
}

}  // namespace nestrt::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace nestrt::kernels {

NESTRT_SIMD_EXPORT(normalize_row)
NESTRT_SIMD_EXPORT(lp_normalize_row)
NESTRT_SIMD_EXPORT(lp_normalize_columns)

NormalizeFunction normalize_function() { return simd_pick(normalize_row_table); }
LpNormalizeFunction lp_normalize_function() { return simd_pick(lp_normalize_row_table); }
LpNormalizeColumnsFunction lp_normalize_columns_function() { return simd_pick(lp_normalize_columns_table); }

}  // namespace nestrt::kernels
#endif
