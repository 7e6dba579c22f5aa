// SPDX-License-Identifier: Apache-2.0
#include "kernels/common/benchmark/s8_ceiling.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/common/benchmark/s8_ceiling_bench.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "kernels/common/benchmark/ceiling.h"
#include "kernels/common/gemm_s8/s8_amx.h"
#include "kernels/common/simd/simd.h"

HWY_BEFORE_NAMESPACE();
namespace nestrt::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

constexpr int kChains = 12;  // exceeds latency x units of any core, and fits the registers

using D = hn::CappedTag<int32_t, 16>;
using V = hn::Vec<D>;

// Adds two 16-bit products per lane: 4 operations. The sum itself is one factor, so that the compiler cannot hoist the
// multiplication out of the loop.
#if HWY_TARGET == HWY_SCALAR  // no 16-bit lanes: one product
V add_products(V sum, V b, V&) { return hn::Add(sum, hn::Mul(sum, b)); }
constexpr double kLaneOperations = 2;
#else
V add_products(V sum, V b, V& other) {
  const hn::RepartitionToNarrow<D> d16;
  return hn::ReorderWidenMulAccumulate(D(), hn::BitCast(d16, sum), hn::BitCast(d16, b), sum, other);
}
constexpr double kLaneOperations = 4;
#endif

// Runs `rounds` rounds of independent sums and returns the number of operations. `x` is opaque to the compiler, which
// prevents constant folding.
double add_pairs(long rounds, int* x) {
  const D d;
  V sums[kChains];
  for (int i = 0; i < kChains; ++i) sums[i] = hn::Set(d, x[0] + i);
  const V b = hn::Set(d, x[1]);
  V other = hn::Zero(d);
  for (long round = 0; round < rounds; ++round) {
    _Pragma("GCC unroll 16") for (int i = 0; i < kChains; ++i) sums[i] = add_products(sums[i], b, other);
  }
  for (int i = 0; i < kChains; ++i) other = hn::Add(other, sums[i]);
  x[2] = hn::GetLane(hn::SumOfLanes(d, other));
  return kLaneOperations * kChains * static_cast<double>(hn::Lanes(d)) * static_cast<double>(rounds);
}

}  // namespace nestrt::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#if HWY_ARCH_X86
#include <immintrin.h>
#endif

namespace nestrt::kernels {
namespace {

NESTRT_SIMD_EXPORT(add_pairs)

#if HWY_ARCH_X86
HWY_PUSH_ATTRIBUTES("avx512f,avx512vnni")
double add_dot4(long rounds, int* x) {
  constexpr int kSums = 12;
  __m512i sums[kSums];
  for (int i = 0; i < kSums; ++i) sums[i] = _mm512_set1_epi32(x[0] + i);
  const __m512i a = _mm512_set1_epi32(x[0]), b = _mm512_set1_epi32(x[1]);
  for (long round = 0; round < rounds; ++round) {
    _Pragma("GCC unroll 16") for (int i = 0; i < kSums; ++i) sums[i] = _mm512_dpbusd_epi32(sums[i], a, b);
  }
  for (int i = 1; i < kSums; ++i) sums[0] = _mm512_add_epi32(sums[0], sums[i]);
  x[2] = _mm512_reduce_add_epi32(sums[0]);
  return 2.0 * kSums * 64 * static_cast<double>(rounds);
}
HWY_POP_ATTRIBUTES

// Computes AMX tile products with four accumulators, like the kernels.
HWY_PUSH_ATTRIBUTES("amx-tile,amx-int8")
double add_tiles(long rounds, int*) {
  const AmxUse use(amx_shape(kAmxPoints, kAmxDepth));
  for (long round = 0; round < rounds; ++round) {
    _tile_dpbssd(0, 4, 6);
    _tile_dpbssd(1, 4, 7);
    _tile_dpbssd(2, 5, 6);
    _tile_dpbssd(3, 5, 7);
  }
  return 2.0 * 4 * kAmxPoints * kTileBlock * kAmxDepth * static_cast<double>(rounds);
}
HWY_POP_ATTRIBUTES
#endif

using Rounds = double (*)(long rounds, int* x);

Rounds best_rounds() {
#if HWY_ARCH_X86
  if (current_instruction_set() == InstructionSet::kAvx512Amx) return add_tiles;
  if (current_instruction_set() == InstructionSet::kAvx512Vnni) return add_dot4;
#endif
  return simd_pick(add_pairs_table);
}

}  // namespace

double s8_ceiling_gops() {
  constexpr long kRounds = 400'000;
  volatile int seed = 3;
  int x[3] = {seed, seed, 0};
  static Ceiling ceiling;
  return ceiling.measured([&] { return best_rounds()(kRounds, x); });
}

}  // namespace nestrt::kernels
#endif
