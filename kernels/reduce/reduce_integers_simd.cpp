// SPDX-License-Identifier: Apache-2.0
// Integer reductions over any axes. The loops use no intrinsics, because the compiler vectorizes them.
#include <algorithm>
#include <limits>
#include <type_traits>

#include "kernels/common/framework/function_kernel.h"
#include "kernels/common/framework/parallel_ranges.h"
#include "kernels/common/framework/rules.h"
#include "kernels/common/math/integers.h"
#include "kernels/reduce/reduce.h"
#include "kernels/reduce/reduce_groups.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/reduce/reduce_integers_simd.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "kernels/common/simd/simd.h"

HWY_BEFORE_NAMESPACE();
namespace nestrt::kernels::HWY_NAMESPACE {
namespace {

// sums[column] = step(sums[column], x[row][column])
template <typename T, typename Step>
HWY_INLINE void fold_integers(const T* x, int64_t rows, int64_t stride, int64_t columns, T* sums, const Step& step) {
  if (columns == 1 && stride == 1) {
    T sum = *sums;
    for (int64_t i = 0; i < rows; ++i) sum = step(sum, x[i]);
    *sums = sum;
    return;
  }
  for (int64_t row = 0; row < rows; ++row) {
    const T* const from = x + row * stride;
#pragma GCC ivdep
    for (int64_t c = 0; c < columns; ++c) sums[c] = step(sums[c], from[c]);
  }
}

// U: the unsigned counterpart of T, in which overflow wraps.
template <typename T, typename U = std::make_unsigned_t<T>>
void fold_kind(ops::ReduceKind kind, const T* x, int64_t rows, int64_t stride, int64_t columns, T* sums) {
  using Kind = ops::ReduceKind;
  if (kind == Kind::kMax)
    return fold_integers(x, rows, stride, columns, sums, [](T a, T b) HWY_ATTR { return a > b ? a : b; });
  if (kind == Kind::kMin)
    return fold_integers(x, rows, stride, columns, sums, [](T a, T b) HWY_ATTR { return a < b ? a : b; });
  const auto* const from = reinterpret_cast<const U*>(x);
  auto* const to = reinterpret_cast<U*>(sums);
  if (kind == Kind::kProd)
    return fold_integers(from, rows, stride, columns, to, [](U a, U b) HWY_ATTR { return static_cast<U>(a * b); });
  fold_integers(from, rows, stride, columns, to, [](U a, U b) HWY_ATTR { return static_cast<U>(a + b); });
}

}  // namespace

void fold_s32(ops::ReduceKind kind, const int32_t* x, int64_t rows, int64_t stride, int64_t columns, int32_t* sums) {
  fold_kind(kind, x, rows, stride, columns, sums);
}
void fold_s64(ops::ReduceKind kind, const int64_t* x, int64_t rows, int64_t stride, int64_t columns, int64_t* sums) {
  fold_kind(kind, x, rows, stride, columns, sums);
}

}  // namespace nestrt::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace nestrt::kernels {

NESTRT_SIMD_EXPORT(fold_s32)
NESTRT_SIMD_EXPORT(fold_s64)

namespace {

using Kind = ops::ReduceKind;

constexpr int64_t kColumns = 256;  // accumulators of a tile

template <typename T>
T neutral_integer(Kind kind) {
  if (kind == Kind::kMax) return std::numeric_limits<T>::lowest();
  if (kind == Kind::kMin) return std::numeric_limits<T>::max();
  return kind == Kind::kProd ? T{1} : T{0};
}

template <typename T, typename Fold>
Result<std::unique_ptr<Kernel>> integer_kernel(const OperatorSpec& spec, Fold fold) {
  const ReduceGroups groups = reduce_groups(spec);
  const Kind kind = spec.as<ops::Reduce>()->kind;
  return make_kernel([=](const KernelCall& call) {
    const int64_t tiles = ceil_div(groups.width, kColumns), reduction = groups.reduction();
    const auto run_tile = [&](int64_t output, int64_t column) {
      const int64_t columns = std::min(kColumns, groups.width - column);
      T* const sums = call.output<T>(0) + output * groups.width + column;
      std::fill_n(sums, columns, neutral_integer<T>(kind));
      const T* const from = call.input<T>(0) + groups.kept.offset(output) + column;
      for_each_offset(groups.reduced,
                      [&](int64_t offset) { fold(kind, from + offset, groups.rows, groups.width, columns, sums); });
      if (kind != Kind::kMean) return;
      for (int64_t c = 0; c < columns; ++c) sums[c] = static_cast<T>(static_cast<int64_t>(sums[c]) / reduction);
    };
    parallel_ranges(*call.parallel, groups.kept.count() * tiles, std::min(groups.width, kColumns) * reduction,
                    [&](int64_t first, int64_t last) {
                      for (int64_t tile = first; tile < last; ++tile) run_tile(tile / tiles, tile % tiles * kColumns);
                    });
  });
}

}  // namespace

bool accepts_reduce_integers(const OperatorSpec& spec) {
  const TensorSpec& input = spec.inputs[0];
  return is_plain(spec) && (input.type == DataType::kS32 || input.type == DataType::kS64) &&
         input.shape.num_elements() > 0;
}

Result<std::unique_ptr<Kernel>> prepare_reduce_integers(const OperatorSpec& spec) {
  if (spec.inputs[0].type == DataType::kS32) return integer_kernel<int32_t>(spec, simd_pick(fold_s32_table));
  return integer_kernel<int64_t>(spec, simd_pick(fold_s64_table));
}

}  // namespace nestrt::kernels
#endif
