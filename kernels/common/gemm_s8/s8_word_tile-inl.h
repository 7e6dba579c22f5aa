// SPDX-License-Identifier: Apache-2.0
// The s8 tile on x86 without VNNI, for non-negative inputs. vpmaddubsw multiplies unsigned inputs with weights and adds
// pairs of products in 16 bits, saturating; 127 * (127 + 127) fits. If the weights prove that more products fit
// (kernels/common/gemm_s8/s8_chains.h), they are added before the sums are widened. With four groups of four inputs per
// 16-bit sum, a core with two multipliers of 32 bytes computes 51 products per cycle, against 32 if every product is
// widened.
//
// Include once per source, after HWY_PUSH_ATTRIBUTES. The source provides a class with
//   kPoints, kVectors  points of a tile, and vectors of sums per block
//   Vector             and operations on it: load, store, broadcast (four bytes), multiply (bytes to pairs), add_words,
//                      widen (pairs of words), add
// Everything has internal linkage: code for this instruction set must not reach other translation units.
#pragma once

#include "hwy/base.h"
#include "kernels/common/gemm_s8/s8_tile-inl.h"

namespace nestrt::kernels {
namespace {

constexpr int64_t kWordGroup = 4;                             // inputs of one product
constexpr int64_t kWordGroupBytes = kWordGroup * kTileBlock;  // weights of a block for them

// The sums for one block of outputs and kPoints points.
template <class Words, int kPoints>
struct WordSums {
  static constexpr int kVectors = Words::kVectors;
  using Vector = typename Words::Vector;

  // Prevents compilers from forming trees of additions, whose operands would exceed the registers.
  static HWY_INLINE void keep_order(Vector& sum) { __asm__("" : "+v"(sum)); }

  // Adds the products of kGroups groups, which share 16-bit sums.
  template <int kGroups>
  HWY_INLINE void add(const int8_t* const (&in)[kPoints], int64_t at, const int8_t* weights) {
    Vector words[kPoints][kVectors];
    NESTRT_UNROLL for (int g = 0; g < kGroups; ++g, weights += kWordGroupBytes) {
      Vector w[kVectors];
      NESTRT_UNROLL for (int v = 0; v < kVectors; ++v) w[v] = Words::load(weights + v * (kWordGroupBytes / kVectors));
      NESTRT_UNROLL for (int p = 0; p < kPoints; ++p) {
        const Vector x = Words::broadcast(in[p] + at + g * kWordGroup);
        NESTRT_UNROLL for (int v = 0; v < kVectors; ++v) {
          const Vector pairs = Words::multiply(x, w[v]);
          words[p][v] = g == 0 ? pairs : Words::add_words(words[p][v], pairs);
          keep_order(words[p][v]);
        }
      }
    }
    NESTRT_UNROLL for (int p = 0; p < kPoints; ++p) {
      NESTRT_UNROLL for (int v = 0; v < kVectors; ++v) {
        sums[p][v] = Words::add(sums[p][v], Words::widen(words[p][v]));
        keep_order(sums[p][v]);
      }
    }
  }

  HWY_INLINE void add_step(S8StepSums kind, const int8_t* const (&in)[kPoints], const int8_t* weights) {
    if (kind == S8StepSums::kWhole) return add<4>(in, 0, weights);
    if (kind == S8StepSums::kHalves) {
      add<2>(in, 0, weights);
      return add<2>(in, 2 * kWordGroup, weights + 2 * kWordGroupBytes);
    }
    for (int g = 0; g < 4; ++g) add<1>(in, g * kWordGroup, weights + g * kWordGroupBytes);
  }

  Vector sums[kPoints][kVectors];
};

// Computes the points of one block starting at `first`.
template <class Words, int kPoints>
HWY_NOINLINE void run_word_points(const S8Tile& tile, int64_t block, int64_t first) {
  constexpr int kVectors = Words::kVectors, kLanes = kTileBlock / kVectors;
  const int32_t* const start = tile.centred_start + block * kTileBlock;
  WordSums<Words, kPoints> sums;
  NESTRT_UNROLL for (int p = 0; p < kPoints; ++p) NESTRT_UNROLL for (int v = 0; v < kVectors; ++v) sums.sums[p][v] =
      Words::load(start + v * kLanes);
  const int8_t *weights = tile.weights + block * tile.weights_stride, *input = tile.input;
  const uint8_t* chains = tile.chains + block * (tile.weights_stride / kS8ChainStepBytes);
  const bool one_step = tile.length == kS8ChainStep;  // otherwise one segment consists of several chunks
  const int64_t stride = one_step ? tile.chunk_stride : kS8ChainStep;
  for (int64_t chunk = one_step ? tile.chunks : tile.length / kS8ChainStep; chunk > 0; --chunk, input += stride) {
    const int64_t* offsets = tile.offsets + first;
    for (int64_t s = tile.segments; s > 0; --s, offsets += tile.points, weights += kS8ChainStepBytes) {
      const int8_t* in[kPoints];
      NESTRT_UNROLL for (int p = 0; p < kPoints; ++p) in[p] = offsets[p] < 0 ? tile.padding : input + offsets[p];
      sums.add_step(static_cast<S8StepSums>(*chains++), in, weights);
    }
  }
  const int64_t sums_stride = tile.blocks * kTileBlock;
  int32_t* const to = tile.sums + first * sums_stride + block * kTileBlock;
  NESTRT_UNROLL for (int p = 0; p < kPoints; ++p) NESTRT_UNROLL for (int v = 0; v < kVectors; ++v)
      Words::store(sums.sums[p][v], to + p * sums_stride + v * kLanes);
}

// Computes groups of kPoints points. The last group overlaps points already computed.
template <class Words, int kPoints>
HWY_INLINE void run_all_word_points(const S8Tile& tile) {
  for (int64_t block = 0; block < tile.blocks; ++block)
    for (int64_t p = 0; p < tile.points; p += kPoints)
      run_word_points<Words, kPoints>(tile, block, HWY_MIN(p, tile.points - kPoints));
}

template <class Words>
void s8_word_tile(const S8Tile& tile) {
  if constexpr (Words::kPoints > 3)
    if (tile.points >= Words::kPoints) return run_all_word_points<Words, Words::kPoints>(tile);
  if (tile.points >= 3) return run_all_word_points<Words, 3>(tile);
  run_all_word_points<Words, 1>(tile);
}

}  // namespace
}  // namespace nestrt::kernels
