// SPDX-License-Identifier: Apache-2.0
#include "kernels/common/benchmark/fma_ceiling.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/common/benchmark/fma_ceiling_bench.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "kernels/common/benchmark/ceiling.h"
#include "kernels/common/simd/simd.h"

HWY_BEFORE_NAMESPACE();
namespace nestrt::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

constexpr int kChains = 12;  // exceeds latency x units of any core, and fits the registers

// Runs `rounds` rounds of independent multiply-adds and returns the number of floating-point operations. `x` is opaque
// to the compiler, which prevents constant folding.
double multiply_add_rounds(long rounds, float* x) {
  const hn::CappedTag<float, 16> d;
  using V = hn::Vec<decltype(d)>;
  V sums[kChains];
  const V factor = hn::Set(d, x[0]), addend = hn::Set(d, x[1]);
  for (int i = 0; i < kChains; ++i) sums[i] = hn::Set(d, x[2] + static_cast<float>(i));
  for (long round = 0; round < rounds; ++round) {
    _Pragma("GCC unroll 16") for (int i = 0; i < kChains; ++i) sums[i] = hn::MulAdd(sums[i], factor, addend);
  }
  V total = hn::Zero(d);
  for (int i = 0; i < kChains; ++i) total = hn::Add(total, sums[i]);
  x[3] = hn::GetLane(hn::SumOfLanes(d, total));
  return 2.0 * kChains * static_cast<double>(hn::Lanes(d)) * static_cast<double>(rounds);
}

}  // namespace nestrt::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace nestrt::kernels {
namespace {

NESTRT_SIMD_EXPORT(multiply_add_rounds)

}  // namespace

double fma_ceiling_gflops() {
  constexpr long kRounds = 400'000;
  volatile float seed = 0.5f;
  float x[4] = {seed, seed, seed, 0};
  static Ceiling ceiling;
  return ceiling.measured([&] { return simd_pick(multiply_add_rounds_table)(kRounds, x); });
}

}  // namespace nestrt::kernels
#endif
