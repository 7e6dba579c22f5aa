// SPDX-License-Identifier: Apache-2.0
// Vectorized along the axis if it is innermost, otherwise across the inner elements. To find the smallest element,
// negates all elements.
#include <algorithm>
#include <limits>

#include "kernels/arg_reduce/arg_reduce.h"
#include "kernels/common/framework/function_kernel.h"
#include "kernels/common/framework/rules.h"
#include "kernels/common/layout/slices.h"
#include "kernels/common/math/integers.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/arg_reduce/arg_reduce_simd.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "kernels/common/simd/simd.h"

HWY_BEFORE_NAMESPACE();
namespace nestrt::kernels::HWY_NAMESPACE {
namespace {
namespace hn = hwy::HWY_NAMESPACE;

// Returns whether x replaces the current best, which precedes it.
template <class V>
HWY_INLINE auto replaces(V x, V best, bool last) {
  const auto is_number = hn::Eq(x, x);
  if (last) return hn::Or(hn::Ge(x, best), hn::Not(is_number));
  return hn::Or(hn::Gt(x, best), hn::AndNot(is_number, hn::Eq(best, best)));
}

// Returns whether the element at index i replaces the current best, which may precede or follow it.
HWY_INLINE bool replaces_any(float x, int64_t i, float best, int64_t best_index, bool last) {
  const bool is_nan = x != x, best_is_nan = best != best;
  if (is_nan != best_is_nan) return is_nan;
  if (!is_nan && x != best) return x > best;
  return last ? i > best_index : i < best_index;
}

template <bool kLast>
int64_t find_largest(const float* x, int64_t count, float sign) {
  const hn::ScalableTag<float> d;
  const hn::RebindToSigned<decltype(d)> di;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  int64_t i = 0, index = 0;
  float largest = sign * x[0];
  if (count >= lanes) {
    const auto signs = hn::Set(d, sign);
    auto best = hn::Mul(signs, hn::LoadU(d, x));
    auto at = hn::Iota(di, 0), position = at;
    for (i = lanes; i + lanes <= count; i += lanes) {
      position = hn::Add(position, hn::Set(di, static_cast<int32_t>(lanes)));
      const auto v = hn::Mul(signs, hn::LoadU(d, x + i));
      const auto better = replaces(v, best, kLast);
      best = hn::IfThenElse(better, v, best);
      at = hn::IfThenElse(hn::RebindMask(di, better), position, at);
    }
    HWY_ALIGN float values[hn::MaxLanes(d)];
    HWY_ALIGN int32_t indices[hn::MaxLanes(d)];
    hn::Store(best, d, values);
    hn::Store(at, di, indices);
    largest = values[0], index = indices[0];
    for (int64_t lane = 1; lane < lanes; ++lane)
      if (replaces_any(values[lane], indices[lane], largest, index, kLast))
        largest = values[lane], index = indices[lane];
  }
  for (; i < count; ++i)
    if (replaces_any(sign * x[i], i, largest, index, kLast)) largest = sign * x[i], index = i;
  return index;
}

template <bool kLast>
void find_largest_columns(const float* x, int64_t columns, int64_t count, int64_t step, float sign, int64_t* y) {
  constexpr int64_t kTile = 256;
  const hn::ScalableTag<float> d;
  const hn::RebindToSigned<decltype(d)> di;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  HWY_ALIGN float best[kTile];
  HWY_ALIGN int32_t at[kTile];
  for (int64_t c = 0; c < columns; ++c) best[c] = sign * x[c], at[c] = 0;
  for (int64_t i = 1; i < count; ++i) {
    const float* const row = x + i * step;
    const auto index = hn::Set(di, static_cast<int32_t>(i));
    int64_t c = 0;
    for (; c + lanes <= columns; c += lanes) {
      const auto v = hn::Mul(hn::Set(d, sign), hn::LoadU(d, row + c)), before = hn::Load(d, best + c);
      const auto better = replaces(v, before, kLast);
      hn::Store(hn::IfThenElse(better, v, before), d, best + c);
      hn::Store(hn::IfThenElse(hn::RebindMask(di, better), index, hn::Load(di, at + c)), di, at + c);
    }
    for (; c < columns; ++c)
      if (replaces_any(sign * row[c], i, best[c], at[c], kLast))
        best[c] = sign * row[c], at[c] = static_cast<int32_t>(i);
  }
  for (int64_t c = 0; c < columns; ++c) y[c] = at[c];
}

}  // namespace

// Returns the index of the largest of `count` elements after multiplying each by `sign`.
int64_t arg_row(const float* x, int64_t count, float sign, bool last) {
  return last ? find_largest<true>(x, count, sign) : find_largest<false>(x, count, sign);
}

// Writes the indices of at most 256 columns whose elements are `step` apart.
void arg_columns(const float* x, int64_t columns, int64_t count, int64_t step, float sign, bool last, int64_t* y) {
  if (last) return find_largest_columns<true>(x, columns, count, step, sign, y);
  find_largest_columns<false>(x, columns, count, step, sign, y);
}

}  // namespace nestrt::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace nestrt::kernels {

NESTRT_SIMD_EXPORT(arg_row)
NESTRT_SIMD_EXPORT(arg_columns)

namespace {

constexpr int64_t kColumns = 256;  // slices per call

}  // namespace

bool accepts_arg_reduce_simd(const OperatorSpec& spec) {
  const TensorSpec& input = spec.inputs[0];
  return is_plain(spec) && input.type == DataType::kF32 &&
         axis_extents(input.shape, spec.as<ops::ArgReduce>()->axis).length <= std::numeric_limits<int32_t>::max();
}

Result<std::unique_ptr<Kernel>> prepare_arg_reduce_simd(const OperatorSpec& spec) {
  const ops::ArgReduce& attributes = *spec.as<ops::ArgReduce>();
  const AxisExtents extents = axis_extents(spec.inputs[0].shape, attributes.axis);
  const float sign = attributes.min ? -1.0f : 1.0f;
  const bool last = attributes.select_last;
  if (extents.inner == 1) {
    return make_kernel([=, find = simd_pick(arg_row_table)](const KernelCall& call) {
      for_each_slice(*call.parallel, extents, [&](int64_t slice, int64_t start) {
        call.output<int64_t>(0)[slice] = find(call.input<float>(0) + start, extents.length, sign, last);
      });
    });
  }
  return make_kernel([=, find = simd_pick(arg_columns_table)](const KernelCall& call) {
    const int64_t length = extents.length, inner = extents.inner, groups = ceil_div(inner, kColumns);
    parallel_ranges(*call.parallel, extents.outer * groups, length * kColumns, [&](int64_t first, int64_t end) {
      for (int64_t group = first; group < end; ++group) {
        const int64_t outer = group / groups, column = group % groups * kColumns;
        find(call.input<float>(0) + outer * length * inner + column, std::min(kColumns, inner - column), length, inner,
             sign, last, call.output<int64_t>(0) + outer * inner + column);
      }
    });
  });
}

}  // namespace nestrt::kernels
#endif
