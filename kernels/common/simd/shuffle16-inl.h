// SPDX-License-Identifier: Apache-2.0
// Transposes 16 x 16 bytes in registers. Include from SIMD sources, once per instruction set.
#if defined(NESTRT_KERNELS_COMMON_SHUFFLE16_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef NESTRT_KERNELS_COMMON_SHUFFLE16_INL_H_
#undef NESTRT_KERNELS_COMMON_SHUFFLE16_INL_H_
#else
#define NESTRT_KERNELS_COMMON_SHUFFLE16_INL_H_
#endif

#include "hwy/highway.h"

#if HWY_TARGET != HWY_SCALAR  // a single lane cannot shuffle

HWY_BEFORE_NAMESPACE();
namespace nestrt::kernels::HWY_NAMESPACE {

// `tile`: 16 vectors of 16 bytes. Four perfect shuffles exchange the four bits of the row index with those of the
// column index.
template <class D>
HWY_INLINE void transpose16(D d, hwy::HWY_NAMESPACE::Vec<D>* tile) {
  namespace hn = hwy::HWY_NAMESPACE;
  hn::Vec<D> shuffled[16];
  for (int round = 0; round < 2; ++round) {
    for (int i = 0; i < 8; ++i) {
      shuffled[2 * i] = hn::InterleaveLower(d, tile[i], tile[i + 8]);
      shuffled[2 * i + 1] = hn::InterleaveUpper(d, tile[i], tile[i + 8]);
    }
    for (int i = 0; i < 8; ++i) {
      tile[2 * i] = hn::InterleaveLower(d, shuffled[i], shuffled[i + 8]);
      tile[2 * i + 1] = hn::InterleaveUpper(d, shuffled[i], shuffled[i + 8]);
    }
  }
}

}  // namespace nestrt::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // HWY_TARGET != HWY_SCALAR

#endif  // include guard of this instruction set
