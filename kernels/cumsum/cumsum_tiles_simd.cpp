// SPDX-License-Identifier: Apache-2.0
// The loops use no intrinsics, because the compiler vectorizes them.
#include <algorithm>

#include "kernels/common/framework/function_kernel.h"
#include "kernels/common/layout/slices.h"
#include "kernels/common/math/integers.h"
#include "kernels/cumsum/cumsum.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cumsum/cumsum_tiles_simd.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "kernels/common/simd/simd.h"

HWY_BEFORE_NAMESPACE();
namespace nestrt::kernels::HWY_NAMESPACE {
namespace {

constexpr int64_t kRunning = 256;  // sums of a tile

template <typename T, typename Sum, typename Step>
HWY_INLINE void scan(const T* x, T* y, int64_t columns, int64_t count, int64_t step, bool exclusive, Sum start,
                     const Step& add) {
  if (columns == 1) {
    Sum sum = start;
    for (int64_t i = 0; i < count; ++i) {
      const Sum with = add(sum, static_cast<Sum>(x[i * step]));
      y[i * step] = static_cast<T>(exclusive ? sum : with);
      sum = with;
    }
    return;
  }
  Sum sums[kRunning];
  for (int64_t c = 0; c < columns; ++c) sums[c] = start;
  for (int64_t i = 0; i < count; ++i) {
    const T* const from = x + i * step;
    T* const to = y + i * step;
#pragma GCC ivdep
    for (int64_t c = 0; c < columns; ++c) {
      const Sum with = add(sums[c], static_cast<Sum>(from[c]));
      to[c] = static_cast<T>(exclusive ? sums[c] : with);
      sums[c] = with;
    }
  }
}

template <typename T, typename Sum>
HWY_INLINE void scan_tile(const T* x, T* y, int64_t columns, int64_t count, int64_t step, bool exclusive,
                          bool product) {
  if (product) return scan(x, y, columns, count, step, exclusive, Sum{1}, [](Sum a, Sum b) HWY_ATTR { return a * b; });
  scan(x, y, columns, count, step, exclusive, Sum{0}, [](Sum a, Sum b) HWY_ATTR { return a + b; });
}

}  // namespace

// Scans at most kRunning adjacent slices, whose elements are `step` apart. If `step` is negative, starts at the end.
void scan_f32(const float* x, float* y, int64_t columns, int64_t count, int64_t step, bool exclusive, bool product) {
  scan_tile<float, double>(x, y, columns, count, step, exclusive, product);
}
void scan_s32(const int32_t* x, int32_t* y, int64_t columns, int64_t count, int64_t step, bool exclusive,
              bool product) {
  scan_tile<int32_t, uint32_t>(x, y, columns, count, step, exclusive, product);
}
void scan_s64(const int64_t* x, int64_t* y, int64_t columns, int64_t count, int64_t step, bool exclusive,
              bool product) {
  scan_tile<int64_t, uint64_t>(x, y, columns, count, step, exclusive, product);
}

}  // namespace nestrt::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace nestrt::kernels {

NESTRT_SIMD_EXPORT(scan_f32)
NESTRT_SIMD_EXPORT(scan_s32)
NESTRT_SIMD_EXPORT(scan_s64)

namespace {

constexpr int64_t kColumns = 256;  // slices of a tile

template <typename T, typename Scan>
Result<std::unique_ptr<Kernel>> scan_kernel(const OperatorSpec& spec, Scan scan) {
  const ops::CumSum& attributes = *spec.as<ops::CumSum>();
  const AxisExtents extents = axis_extents(spec.inputs[0].shape, attributes.axis);
  return make_kernel([extents, scan, exclusive = attributes.exclusive, product = attributes.product,
                      reverse = attributes.reverse](const KernelCall& call) {
    const auto [outer, length, inner] = extents;
    if (length == 0) return;
    const int64_t tiles = ceil_div(inner, kColumns), far_end = reverse ? (length - 1) * inner : 0;
    const auto scan_tiles = [&, length = length, inner = inner](int64_t first, int64_t last) {
      for (int64_t tile = first; tile < last; ++tile) {
        const int64_t column = tile % tiles * kColumns, start = tile / tiles * length * inner + column + far_end;
        scan(call.input<T>(0) + start, call.output<T>(0) + start, std::min(kColumns, inner - column), length,
             reverse ? -inner : inner, exclusive, product);
      }
    };
    parallel_ranges(*call.parallel, outer * tiles, length * std::min(kColumns, inner), scan_tiles);
  });
}

}  // namespace

Result<std::unique_ptr<Kernel>> prepare_cumsum_tiles(const OperatorSpec& spec) {
  switch (spec.inputs[0].type) {
    case DataType::kF32:
      return scan_kernel<float>(spec, simd_pick(scan_f32_table));
    case DataType::kS32:
      return scan_kernel<int32_t>(spec, simd_pick(scan_s32_table));
    default:
      return scan_kernel<int64_t>(spec, simd_pick(scan_s64_table));
  }
}

}  // namespace nestrt::kernels
#endif
