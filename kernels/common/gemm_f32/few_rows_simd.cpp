// SPDX-License-Identifier: Apache-2.0
#include "kernels/common/gemm_f32/few_rows.h"

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/common/gemm_f32/few_rows_simd.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "kernels/common/simd/simd.h"

HWY_BEFORE_NAMESPACE();
namespace nestrt::kernels::HWY_NAMESPACE {
namespace {
namespace hn = hwy::HWY_NAMESPACE;

constexpr int kSteps = 4;  // rows of B that are added together

// Adds the products with kCount rows of B, starting with row `k`, to kVectors vectors of sums per row. Advances
// `column` while enough columns remain.
template <int kRows, int kCount, int kVectors, class D>
HWY_INLINE void add_columns(D d, const FewRows& product, int64_t k, int64_t& column) {
  using Vector = hn::Vec<D>;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d)), stride = product.stride;
  Vector x[kRows][kCount];
  for (int r = 0; r < kRows; ++r)
    for (int s = 0; s < kCount; ++s) x[r][s] = hn::Set(d, product.a[r * product.inner + k + s]);
  for (; column + kVectors * lanes <= product.columns; column += kVectors * lanes) {
    float* const y = product.y + column;
    const float* const b = product.b + k * stride + column;
    Vector sums[kRows][kVectors];
    for (int r = 0; r < kRows; ++r)
      for (int v = 0; v < kVectors; ++v) sums[r][v] = hn::LoadU(d, y + r * stride + v * lanes);
    for (int s = 0; s < kCount; ++s)
      for (int v = 0; v < kVectors; ++v) {
        const auto w = hn::LoadU(d, b + s * stride + v * lanes);
        for (int r = 0; r < kRows; ++r) sums[r][v] = hn::MulAdd(x[r][s], w, sums[r][v]);
      }
    for (int r = 0; r < kRows; ++r)
      for (int v = 0; v < kVectors; ++v) hn::StoreU(sums[r][v], d, y + r * stride + v * lanes);
  }
}

template <int kRows, int kCount>
HWY_INLINE void add_rows(const FewRows& product, int64_t k) {
  constexpr int kVectors = kRows == 1 ? 4 : kRows == 2 ? 2 : 1;  // as many independent sums as the registers allow
  int64_t column = 0;
  add_columns<kRows, kCount, kVectors>(hn::ScalableTag<float>(), product, k, column);
  add_columns<kRows, kCount, 1>(hn::CappedTag<float, 4>(), product, k, column);
  add_columns<kRows, kCount, 1>(hn::CappedTag<float, 1>(), product, k, column);
}

template <int kRows>
HWY_NOINLINE void multiply_rows(const FewRows& product) {
  for (int r = 0; r < kRows; ++r) std::fill_n(product.y + r * product.stride, product.columns, 0.0f);
  int64_t k = 0;
  for (; k + kSteps <= product.inner; k += kSteps) add_rows<kRows, kSteps>(product, k);
  for (; k < product.inner; ++k) add_rows<kRows, 1>(product, k);
}

}  // namespace

void few_rows(const FewRows& product) {
  if (product.rows == 1) return multiply_rows<1>(product);
  if (product.rows == 2) return multiply_rows<2>(product);
  multiply_rows<3>(product);
}

}  // namespace nestrt::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace nestrt::kernels {

NESTRT_SIMD_EXPORT(few_rows)

void multiply_few_rows(const FewRows& product) { simd_pick(few_rows_table)(product); }

}  // namespace nestrt::kernels
#endif
