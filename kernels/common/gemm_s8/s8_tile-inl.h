// SPDX-License-Identifier: Apache-2.0
// The loops of the s8 tile around the steps of one instruction set. Include once per source, after HWY_PUSH_ATTRIBUTES.
// The source provides a class with
//   kBlocks, kPoints  the largest tile that fits in the registers
//   kStep             bytes of each point per step
//   Weights           of a step, for one block:       Weights load_weights(const int8_t*)
//   Input             of a step, for one point:       Input load_input(const int8_t*)
//   Sums              of one block at one point:      void begin(Sums&, const int32_t* start),
//                                                     void add(Sums&, const Input&, const Weights&),
//                                                     void store(const Sums&, const int32_t* start, int32_t* to)
//                     either begin() or store() adds `start`
// optionally, add_segment(), which replaces the loop over load_weights(), load_input() and add() for one block:
//   template <int kGroups> void add_segment(const int8_t* const* in, const int8_t* weights, int64_t length,
//                                           Sums (&sums)[kGroups][1])
// optionally, kRows: the number of points that share one Sums. in[] then has whole groups of points, and the class has
//   void store(const Sums&, const int32_t* start, int rows, int32_t* to)
// optionally, kPairsWeights: weights have been reordered by pair_s8_weights()
// optionally, to prefetch weights (S8Tile::prefetch):  void prefetch(const int8_t*), of kS8PrefetchBytes
// optionally, kTilePoints: a multiple of kPoints that a tile splits into groups of kPoints
// optionally, if tiles compute outputs (S8TileFinishes::kAll), kFinishes and
//   template <int kPoints, int kBlocks> void finish(const Sums (&)[kPoints][kBlocks], const S8Tile&)
// Everything has internal linkage: code for this instruction set must not reach other translation units.
#pragma once

#include "hwy/base.h"
#include "kernels/common/gemm_s8/s8_tile.h"

#define NESTRT_UNROLL _Pragma("GCC unroll 16")

namespace nestrt::kernels {
namespace {

template <class Simd>
inline constexpr int kS8Rows = [] {
  if constexpr (requires { Simd::kRows; }) return Simd::kRows;
  return 1;
}();

template <class Simd, int kBlocks, int kPoints>
HWY_INLINE void add_s8_segment(const int8_t* const* HWY_RESTRICT in, const int8_t* HWY_RESTRICT weights,
                               int64_t weights_stride, int64_t length, typename Simd::Sums (&sums)[kPoints][kBlocks]) {
  for (int64_t i = 0; i < length; i += Simd::kStep, weights += Simd::kStep * kTileBlock) {
    typename Simd::Weights w[kBlocks];
    NESTRT_UNROLL for (int b = 0; b < kBlocks; ++b) w[b] = Simd::load_weights(weights + b * weights_stride);
    NESTRT_UNROLL for (int p = 0; p < kPoints; ++p) {
      const typename Simd::Input x = Simd::load_input(in[p] + i);
      NESTRT_UNROLL for (int b = 0; b < kBlocks; ++b) Simd::add(sums[p][b], x, w[b]);
    }
  }
}

template <class Simd>
concept FinishesS8Tiles = requires {
  Simd::kFinishes;
};

template <class Simd>
concept SplitsS8Tiles = requires {
  Simd::kTilePoints;
};

template <class Simd>
concept AddsS8Segments = requires(typename Simd::Sums (&sums)[1][1]) {
  Simd::add_segment(nullptr, nullptr, 0, sums);
};

template <class Simd, int kBlocks, int kPoints, int kGroups>
HWY_INLINE void store_s8_sums(const typename Simd::Sums (&sums)[kGroups][kBlocks], const int32_t* start, int32_t* to) {
  if constexpr (kS8Rows < Simd >> 1) {
    NESTRT_UNROLL for (int g = 0; g < kGroups; ++g) {
      constexpr int kRows = kS8Rows<Simd>;
      Simd::store(sums[g][0], start, HWY_MIN(kRows, kPoints - g * kRows), to + g * kRows * kTileBlock);
    }
  } else {
    NESTRT_UNROLL for (int p = 0; p < kPoints; ++p) {
      NESTRT_UNROLL for (int b = 0; b < kBlocks; ++b) {
        Simd::store(sums[p][b], start + b * kTileBlock, to + (p * kBlocks + b) * kTileBlock);
      }
    }
  }
}

// Computes the points starting at `first`.
template <class Simd, int kBlocks, int kPoints>
HWY_NOINLINE void run_s8_tile(const S8Tile& tile, int64_t first = 0) {
  const int64_t points = SplitsS8Tiles<Simd> ? tile.points : kPoints;
  constexpr int kRows = kS8Rows<Simd>, kGroups = (kPoints + kRows - 1) / kRows;
  typename Simd::Sums sums[kGroups][kBlocks];
  NESTRT_UNROLL for (int g = 0; g < kGroups; ++g) {
    NESTRT_UNROLL for (int b = 0; b < kBlocks; ++b) Simd::begin(sums[g][b], tile.start + b * kTileBlock);
  }
  const int8_t* weights = tile.weights;
  const int8_t* input = tile.input;
  const int8_t* prefetch = tile.prefetch;
  for (int64_t chunk = 0; chunk < tile.chunks; ++chunk, input += tile.chunk_stride) {
    const int64_t* offsets = tile.offsets + first;
    for (int64_t s = 0; s < tile.segments; ++s, offsets += points, weights += tile.length * kTileBlock) {
      if constexpr (requires { Simd::prefetch(prefetch); })
        if (prefetch != nullptr) {
          Simd::prefetch(prefetch);
          prefetch += kS8PrefetchBytes;
        }
      const int8_t* in[kGroups * kRows];
      NESTRT_UNROLL for (int p = 0; p < kPoints; ++p) in[p] = offsets[p] < 0 ? tile.padding : input + offsets[p];
      NESTRT_UNROLL for (int p = kPoints; p < kGroups * kRows; ++p) in[p] = in[kPoints - 1];
      if constexpr (AddsS8Segments<Simd>)
        Simd::add_segment(in, weights, tile.length, sums);
      else
        add_s8_segment<Simd, kBlocks, kPoints>(in, weights, tile.weights_stride, tile.length, sums);
    }
  }
  if constexpr (FinishesS8Tiles<Simd> && kPoints >= kMinFinishedPoints)
    if (tile.finish != nullptr) return Simd::finish(sums, tile);
  store_s8_sums<Simd, kBlocks, kPoints, kGroups>(sums, tile.start, tile.sums + first * kBlocks * kTileBlock);
}

// Calls run_s8_tile with the number of points as a constant. If a tile is split, the last group overlaps points already
// computed.
template <class Simd, int kBlocks, int kPoints = Simd::kPoints>
HWY_INLINE void with_s8_points(const S8Tile& tile) {
  if constexpr (SplitsS8Tiles<Simd>) {
    if (tile.points >= Simd::kPoints) {
      for (int64_t p = 0; p < tile.points; p += Simd::kPoints)
        run_s8_tile<Simd, kBlocks, Simd::kPoints>(tile, HWY_MIN(p, tile.points - Simd::kPoints));
      return;
    }
  }
  if constexpr (kPoints > 0) {
    if (tile.points == kPoints) return run_s8_tile<Simd, kBlocks, kPoints>(tile);
    with_s8_points<Simd, kBlocks, kPoints - 1>(tile);
  }
}

template <class Simd>
void s8_tile(const S8Tile& tile) {
  constexpr int kPoints = [] {
    if constexpr (SplitsS8Tiles<Simd>) return Simd::kTilePoints;
    return Simd::kPoints;
  }();
  static_assert(kPoints * Simd::kBlocks * kTileBlock <= kMaxS8TileSums && kPoints <= kMaxTilePoints);
  if constexpr (Simd::kBlocks == 2) {
    if (tile.blocks == 2) return with_s8_points<Simd, 2>(tile);
  }
  with_s8_points<Simd, 1>(tile);
}

// consteval, because no code in this file may run until the CPU is known to support the instruction set.
template <class Simd>
consteval S8TileKernel s8_tile_kernel_of(std::string_view name) {
  S8TileKernel kernel{
      name, {Simd::kPoints, Simd::kBlocks}, Simd::kInputOffset, Simd::kSupportsPairedMinima, &s8_tile<Simd>};
  if constexpr (SplitsS8Tiles<Simd>) {
    kernel.limits.points = Simd::kTilePoints;
    kernel.limits.grain = Simd::kPoints;
  }
  if constexpr (FinishesS8Tiles<Simd>) kernel.finishes = S8TileFinishes::kAll;
  if constexpr (requires { Simd::kPairsWeights; }) kernel.pairs_weights = Simd::kPairsWeights;
  return kernel;
}

}  // namespace
}  // namespace nestrt::kernels
