// SPDX-License-Identifier: Apache-2.0
#include "kernels/common/gemm_f32/tile16.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/common/gemm_f32/tile16_simd.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "kernels/common/gemm_f32/tile16_neon_four.h"
#include "kernels/common/gemm_f32/tile16_neon_six.h"
#include "kernels/common/math/bounds-inl.h"
#include "kernels/common/simd/simd.h"

HWY_BEFORE_NAMESPACE();
namespace nestrt::kernels::HWY_NAMESPACE {
namespace {
namespace hn = hwy::HWY_NAMESPACE;

using D = hn::CappedTag<float, kTileBlock>;
using V = hn::Vec<D>;

constexpr int kLanes = static_cast<int>(hn::MaxLanes(D()));
constexpr int kVectors = static_cast<int>(kTileBlock) / kLanes;  // in a block

// Accumulators use most of the registers; the others hold weights and the broadcast input. Vectors x points: 2 x 14 of
// 32 registers with 16 lanes, 2 x 6 of 16 registers with 8 lanes, 4 x 5 of 32 registers with 4 lanes. (A sixth point
// would spill, because the compiler loads the inputs of all points together.) On NEON, tiles are split into groups of
// six points, computed in assembly (tile16_neon_six.h), several per call to amortize its overhead; the remaining points
// use smaller parts. If loops emulate vectors, 16 floats use four registers on any CPU: 4 x 2 of 16. (4 x 5 spilled
// most of them, in 40 kB of code.)
constexpr bool kIsNeon = HWY_ARCH_ARM_A64 != 0;
static_assert(kMaxTilePoints % kNeonTilePoints == 0);
constexpr int kMaxBlocks = kVectors == 1 ? 2 : 1;
constexpr int kMaxPoints = kVectors == 1 ? 14 : kVectors == 2 ? 6 : 2;
// Tiles with few points have enough sums to hide the latency of a multiplication, as far as registers allow.
using FewBlocks = std::array<int64_t, kFewPoints>;
constexpr FewBlocks kFewBlocks = kVectors == 1   ? FewBlocks{4, 4, 4}
                                 : kVectors == 2 ? FewBlocks{4, 2, 2}
                                 : kIsNeon       ? FewBlocks{4, 2, 1}
                                                 : FewBlocks{1, 1, 1};

alignas(64) constexpr float kZeros[kTileZeros] = {};

#define NESTRT_UNROLL _Pragma("GCC unroll 16")

template <int kBlocks, int kPoints>
struct Sums {
  HWY_INLINE Sums() {}  // an implicit one would not be compiled for the target
  V at[kPoints][kBlocks * kVectors];
};

template <int kBlocks, int kPoints>
HWY_INLINE void start(const Tile16& tile, Sums<kBlocks, kPoints>& sums) {
  const D d;
  NESTRT_UNROLL for (int p = 0; p < kPoints; ++p) {
    NESTRT_UNROLL for (int v = 0; v < kBlocks * kVectors; ++v) {
      V sum = tile.bias != nullptr ? hn::LoadU(d, tile.bias + v * kLanes) : hn::Zero(d);
      sums.at[p][v] = tile.point_bias != nullptr ? hn::Set(d, tile.point_bias[p]) : sum;
    }
  }
}

// The current weights of a tile, and the prefetch address, which advances by `prefetch_step` per element. Its blocks
// are `prefetch_stride` apart.
struct Weights {
  const float* current;
  int64_t step, stride;
  const float* prefetch;
  int64_t prefetch_step, prefetch_stride;
};

// Adds the products of `length` elements of every point, starting at at(p), each with 16 weights per block.
template <int kBlocks, int kPoints, bool kPrefetch, typename At>
HWY_INLINE void add_elements(At at, Weights& from, int64_t length, Sums<kBlocks, kPoints>& sums) {
  const D d;
  const float* HWY_RESTRICT weights = from.current;
  const int64_t weights_stride = from.stride, weights_step = from.step;
  from.current += length * weights_step;
  for (int64_t i = 0; i < length; ++i, weights += weights_step) {
    if constexpr (kPrefetch) {
      NESTRT_UNROLL for (int b = 0; b < kBlocks; ++b)
          __builtin_prefetch(from.prefetch + b * from.prefetch_stride, 0, 3);
      from.prefetch += from.prefetch_step;
    }
    V w[kBlocks * kVectors];
    NESTRT_UNROLL for (int b = 0; b < kBlocks; ++b) {
      NESTRT_UNROLL for (int v = 0; v < kVectors; ++v) {
        w[b * kVectors + v] = hn::LoadU(d, weights + b * weights_stride + v * kLanes);
      }
    }
    NESTRT_UNROLL for (int p = 0; p < kPoints; ++p) {
      const V x = hn::Set(d, at(p)[i]);
      NESTRT_UNROLL for (int v = 0; v < kBlocks * kVectors; ++v) { sums.at[p][v] = hn::MulAdd(x, w[v], sums.at[p][v]); }
    }
  }
}

// If there are more points than address registers, all points share one address.
template <int kPoints>
constexpr bool kNeedsRow = kVectors == 1 && kPoints > 1;

// Returns whether the points are adjacent, 16 floats each.
template <int kPoints>
HWY_INLINE bool is_row(const int64_t* offsets) {
  const hn::CappedTag<int64_t, 8> d;
  constexpr int kStep = static_cast<int>(hn::MaxLanes(d));
  const auto steps = hn::ShiftLeft<4>(hn::Iota(d, 0));
  if (offsets[0] < 0) return false;
  for (int p = 0; p < kPoints; p += kStep) {
    const auto used = hn::FirstN(d, static_cast<size_t>(HWY_MIN(kPoints - p, kStep)));
    const auto expected = hn::Add(hn::Set(d, offsets[0] + p * kTileBlock), steps);
    if (!hn::AllFalse(d, hn::And(used, hn::Ne(hn::MaskedLoad(used, d, offsets + p), expected)))) return false;
  }
  return true;
}

// Returns the address of the first point if points are adjacent, or of a copy that makes them adjacent. Returns null if
// points are not adjacent and a segment does not have 16 elements.
template <int kPoints>
HWY_INLINE const float* row_of(const float* input, const int64_t* offsets, int64_t length, float* copy) {
  if (is_row<kPoints>(offsets)) return input + offsets[0];
  if (length != kTileBlock) return nullptr;
  const D d;
  NESTRT_UNROLL for (int p = 0; p < kPoints; ++p) {
    const float* const from = offsets[p] < 0 ? kZeros : input + offsets[p];
    for (int v = 0; v < kVectors; ++v)
      hn::Store(hn::LoadU(d, from + v * kLanes), d, copy + p * kTileBlock + v * kLanes);
  }
  return copy;
}

template <int kBlocks, int kPoints>
HWY_INLINE void add_segment(const float* input, const int64_t* offsets, Weights& weights, int64_t length,
                            Sums<kBlocks, kPoints>& sums) {
  if constexpr (kNeedsRow<kPoints> && kBlocks <= kMaxBlocks) {
    alignas(64) float copy[kPoints * kTileBlock];
    if (const float* const row = row_of<kPoints>(input, offsets, length, copy)) {
      return add_elements<kBlocks, kPoints, true>([row](int p) HWY_ATTR { return row + p * kTileBlock; }, weights,
                                                  length, sums);
    }
  }
  const float* in[kPoints];
  NESTRT_UNROLL for (int p = 0; p < kPoints; ++p) in[p] = offsets[p] < 0 ? kZeros : input + offsets[p];
  add_elements<kBlocks, kPoints, false>([&in](int p) HWY_ATTR { return in[p]; }, weights, length, sums);
}

// Prefetches the inputs of the next chunk, or those adjacent to the tile, one cache line per element. Used if there are
// no weights to prefetch.
template <int kPoints>
HWY_INLINE void prefetch_inputs(const Tile16& tile, int64_t chunk, Weights& weights) {
  const int64_t next = chunk + 1 < tile.chunks ? (chunk + 1) * tile.chunk_stride : kPoints * kTileBlock;
  weights.prefetch = tile.input + tile.offsets[0] + next;
  weights.prefetch_step = tile.segments == 1 ? kTileBlock : 0;
  weights.prefetch_stride = 0;
}

// Computes the sums of a tile, which may be part of a larger tile of `all_points` points.
template <int kBlocks, int kPoints>
HWY_INLINE void reduce(const Tile16& tile, int64_t all_points, Sums<kBlocks, kPoints>& sums) {
  Weights weights{tile.weights,  tile.weights_step,  tile.weights_stride,
                  tile.prefetch, tile.prefetch_step, tile.weights_stride};
  const float* input = tile.input;
  for (int64_t chunk = 0; chunk < tile.chunks; ++chunk, input += tile.chunk_stride) {
    const int64_t length = chunk + 1 < tile.chunks ? tile.length : tile.last_length;
    const int64_t* offsets = tile.offsets;
    if (tile.prefetch == nullptr) prefetch_inputs<kPoints>(tile, chunk, weights);
    for (int64_t s = 0; s < tile.segments; ++s, offsets += all_points)
      add_segment<kBlocks, kPoints>(input, offsets, weights, length, sums);
  }
}

template <int kBlocks, int kPoints>
HWY_INLINE void store_full(const Tile16& tile, Sums<kBlocks, kPoints>& sums) {
  const D d;
  const Bounds bounds = bounds_of(tile.activation);
  const auto for_each = [&](auto action) HWY_ATTR {
    NESTRT_UNROLL for (int p = 0; p < kPoints; ++p) {
      NESTRT_UNROLL for (int v = 0; v < kBlocks * kVectors; ++v) {
        action(sums.at[p][v], p * tile.point_stride + v / kVectors * tile.block_stride + v % kVectors * kLanes);
      }
    }
  };
  if (tile.residual != nullptr) {
    for_each([&](V& y, int64_t at) HWY_ATTR { y = hn::Add(y, hn::LoadU(d, tile.residual + at)); });
  }
  if (bounds.used) {
    const V low = hn::Set(d, bounds.low), high = hn::Set(d, bounds.high);
    for_each([&](V& y, int64_t) HWY_ATTR { y = bounded(y, low, high); });
  }
  for_each([&](V& y, int64_t at) HWY_ATTR { hn::StoreU(y, d, tile.output + at); });
}

// Stores a tile whose last block is partial. `sums`: a copy of its sums, [points][blocks * 16].
HWY_NOINLINE void store_partial(const Tile16& tile, const float* HWY_RESTRICT sums) {
  const Bounds bounds = bounds_of(tile.activation);
  for (int64_t p = 0; p < tile.points; ++p) {
    for (int64_t b = 0; b < tile.blocks; ++b, sums += kTileBlock) {
      const int64_t at = p * tile.point_stride + b * tile.block_stride;
      const int64_t lanes = b + 1 < tile.blocks ? kTileBlock : tile.last_lanes;
      for (int64_t i = 0; i < lanes; ++i) {
        float y = sums[i];
        if (tile.residual != nullptr) y += tile.residual[at + i];
        y = y < bounds.low ? bounds.low : y;
        tile.output[at + i] = y > bounds.high ? bounds.high : y;
      }
    }
  }
}

// Copies the sums, because they would leave the registers if their address escaped.
template <int kBlocks, int kPoints>
HWY_INLINE void copy_sums(const Sums<kBlocks, kPoints>& sums, float* HWY_RESTRICT copy) {
  NESTRT_UNROLL for (int p = 0; p < kPoints; ++p) {
    NESTRT_UNROLL for (int v = 0; v < kBlocks * kVectors; ++v) {
      hn::StoreU(sums.at[p][v], D(), copy + (p * kBlocks * kVectors + v) * kLanes);
    }
  }
}

// Activates the longest contiguous runs of outputs: all points of a block, or all blocks of a point.
HWY_NOINLINE void activate_tile(const Tile16& tile) {
  if (tile.point_stride == kTileBlock && tile.last_lanes == kTileBlock) {
    for (int64_t b = 0; b < tile.blocks; ++b) {
      float* y = tile.output + b * tile.block_stride;
      map_activation(tile.activation, y, y, tile.points * kTileBlock);
    }
    return;
  }
  const int64_t run = tile.block_stride == kTileBlock ? tile.blocks : 1;
  for (int64_t p = 0; p < tile.points; ++p) {
    for (int64_t b = 0; b < tile.blocks; b += run) {
      float* y = tile.output + p * tile.point_stride + b * tile.block_stride;
      const int64_t last = b + run < tile.blocks ? kTileBlock : tile.last_lanes;
      map_activation(tile.activation, y, y, (run - 1) * kTileBlock + last);
    }
  }
}

template <int kBlocks, int kPoints>
void run_tile(const Tile16& tile, int64_t all_points) {
  Sums<kBlocks, kPoints> sums;
  start<kBlocks, kPoints>(tile, sums);
  reduce<kBlocks, kPoints>(tile, kIsNeon ? all_points : kPoints, sums);
  if (tile.last_lanes == kTileBlock) {
    store_full<kBlocks, kPoints>(tile, sums);
  } else {
    float copy[kPoints * kBlocks * kTileBlock];
    copy_sums<kBlocks, kPoints>(sums, copy);
    store_partial(tile, copy);
  }
  if (needs_pass(tile.activation)) activate_tile(tile);
}

// Calls run_tile with the number of points as a constant.
template <int kBlocks, int kPoints = kMaxPoints>
HWY_INLINE void with_points(const Tile16& tile, int64_t all_points) {
  if constexpr (kPoints > 0) {
    if (tile.points == kPoints) return run_tile<kBlocks, kPoints>(tile, all_points);
    with_points<kBlocks, kPoints - 1>(tile, all_points);
  }
}

// Calls run_tile with the number of blocks as a constant. Requires: more than kMaxBlocks.
template <int kPoints, int kBlocks = kFewBlocks[kPoints - 1]>
HWY_INLINE void with_few_blocks(const Tile16& tile) {
  if constexpr (kBlocks > kMaxBlocks) {
    if (tile.blocks == kBlocks) return run_tile<kBlocks, kPoints>(tile, kPoints);
    with_few_blocks<kPoints, kBlocks / 2>(tile);
  }
}

HWY_NOINLINE void run_few(const Tile16& tile) {
  if (tile.points == 1) return with_few_blocks<1>(tile);
  if (tile.points == 2) return with_few_blocks<2>(tile);
  with_few_blocks<3>(tile);
}

#if HWY_ARCH_ARM_A64
void run_six(const Tile16& tile, int64_t all_points) {
  const Bounds bounds = bounds_of(tile.activation);
  if (tile.last_lanes == kTileBlock) {
    tile16_neon_six(tile, all_points, bounds.low, bounds.high);
  } else {
    float copy[kMaxTilePoints * kTileBlock];
    Tile16 sums = tile;
    sums.output = copy;
    sums.residual = nullptr;
    sums.point_stride = kTileBlock;
    tile16_neon_six(sums, all_points, -__builtin_inff(), __builtin_inff());
    store_partial(tile, copy);
  }
  if (needs_pass(tile.activation)) activate_tile(tile);
}

// Advances `part` to the next `count` points.
void advance(Tile16& part, int64_t count) {
  part.offsets += part.points;
  part.output += part.points * part.point_stride;
  if (part.point_bias != nullptr) part.point_bias += part.points;
  if (part.residual != nullptr) part.residual += part.points * part.point_stride;
  part.points = count;
}

// Computes the sums of all points. Each sum adds the same terms in the same order, regardless of which code computes
// it.
HWY_NOINLINE void run_parts(const Tile16& tile) {
  Tile16 part = tile;
  for (int64_t left = tile.points; left > 0; advance(part, left)) {
    const int64_t six = tile16_neon_six_points(part);
    part.points = six > 0 ? six : HWY_MIN(left, int64_t{kMaxPoints});
    left -= part.points;
    if (supports_tile16_neon_four(part)) {
      tile16_neon_four(part);
    } else if (six > 0) {
      run_six(part, tile.points);
    } else {
      with_points<1>(part, tile.points);
    }
  }
}
#endif

}  // namespace

void tile16(const Tile16& tile) {
  if (tile.blocks > kMaxBlocks) return run_few(tile);
#if HWY_ARCH_ARM_A64
  const bool is_whole = tile16_neon_six_points(tile) == tile.points && !supports_tile16_neon_four(tile);
  return is_whole ? run_six(tile, tile.points) : run_parts(tile);
#else
  if constexpr (kMaxBlocks == 2) {
    if (tile.blocks == 2) return with_points<2>(tile, tile.points);
  }
  with_points<1>(tile, tile.points);
#endif
}

TileLimits limits() {
  TileLimits limits = kIsNeon ? TileLimits{kMaxTilePoints, 1, kNeonTilePoints} : TileLimits{kMaxPoints, kMaxBlocks};
  limits.few_blocks = kFewBlocks;
  limits.unpacked_points = kMaxPoints;
  return limits;
}

#undef NESTRT_UNROLL

}  // namespace nestrt::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace nestrt::kernels {

NESTRT_SIMD_EXPORT(tile16)
NESTRT_SIMD_EXPORT(limits)

TileLimits tile16_limits() { return simd_pick(limits_table)(); }
Tile16Function tile16_function() { return simd_pick(tile16_table); }

}  // namespace nestrt::kernels
#endif
