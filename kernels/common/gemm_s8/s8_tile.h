// SPDX-License-Identifier: Apache-2.0
// The register tile of all s8 convolutions and dense layers. It computes integer sums without an epilogue, so that all
// forms of quantization can share it.
//
// As in kernels/common/gemm_f32/tile16.h, a tile is `points` x (`blocks` * 16) sums, and a segment is a run of
// contiguous input bytes per point. Each sum is start + sum of x[i] * weight[i] over the segments of all chunks, modulo
// 2^32.
//
// Weights are [segments of all chunks][length / 4][16 outputs][4 bytes], the order of Packing::kS8O16i4.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "kernels/common/gemm_f32/tile16.h"
#include "kernels/common/gemm_s8/s8_chains.h"
#include "kernels/common/gemm_s8/s8_finish.h"
#include "kernels/common/simd/simd.h"

namespace nestrt::kernels {

inline constexpr int64_t kS8Grain = 8;                          // segment lengths are multiples of this
inline constexpr int64_t kS8PrefetchBytes = 128;                // two cache lines
inline constexpr int64_t kMaxS8TileSums = 14 * 2 * kTileBlock;  // maximum on any instruction set

alignas(64) inline constexpr int8_t kS8Zeros[kTileBlock] = {};

struct S8Tile {
  int64_t points = 0;  // 1 to S8TileKernel::limits.points; more only if S8TileFinishes allows it
  int64_t blocks = 0;  // 1 to S8TileKernel::limits.blocks

  // Point p of segment s in chunk c reads from input + c * chunk_stride + offsets[s * points + p]. A negative offset
  // reads the padding instead and requires length <= kTileBlock.
  const int8_t* input = nullptr;
  const int64_t* offsets = nullptr;
  const int8_t* padding = kS8Zeros;  // kTileBlock bytes
  bool padded = true;                // false: no offset is negative
  int64_t segments = 0;
  int64_t chunks = 0;
  int64_t chunk_stride = 0;
  int64_t length = 0;  // bytes of a segment, a multiple of kS8Grain
  const int8_t* weights = nullptr;
  int64_t weights_stride = 0;  // bytes between blocks
  int64_t sequence = 0;        // number of preceding tiles that read the same weights
  // If not null, the tile may prefetch kS8PrefetchBytes from this address per segment.
  const int8_t* prefetch = nullptr;
  // Chains of the first block (kernels/common/gemm_s8/s8_chains.h). Null if S8TileKernel::chains is null, or if the
  // chunks have several segments in total and their length is not 16 bytes.
  const uint8_t* chains = nullptr;
  // Set in addition to `chains` if no input is negative and, on NEON, chunks have one segment without padding: the
  // start values for sums over inputs minus S8ChainRules::centre. The chains are then valid only for such inputs.
  const int32_t* centred_start = nullptr;
  // If not null, the tile writes outputs instead of sums; see S8TileKernel::finishes.
  const S8Finish* finish = nullptr;

  const int32_t* start = nullptr;  // blocks * 16
  int32_t* sums = nullptr;         // [points][blocks * 16]
};

// The tiles for which the implementation computes outputs instead of sums: s8 outputs in whole blocks, adjacent points.
enum class S8TileFinishes {
  kNone,
  kOfChains,  // at least kMinChainPoints points, one block, with chains; no residual, no scales
  kAll,       // at least kMinFinishedPoints points
};
inline constexpr int64_t kMinFinishedPoints = 12;  // maps of 7 x 7 have at least this many

// An implementation of the tile. Dot products of unsigned and signed bytes add 128 to every input, so each sum exceeds
// the exact value by input_offset * (sum of the weights of the output). The caller subtracts this from `start`.
struct S8TileKernel {
  std::string_view name;  // "avx512vnni"
  TileLimits limits;
  int32_t input_offset = 0;
  bool supports_paired_minima = true;  // supports weights for which s8_has_paired_minima() is true
  void (*run)(const S8Tile& tile) = nullptr;
  const S8ChainRules* chains = nullptr;  // null: does not use chains
  S8TileFinishes finishes = S8TileFinishes::kNone;
  bool pairs_weights = false;  // S8Tile::weights must have been reordered by pair_s8_weights()
};

// Returns the implementations for an instruction set, best first, without those for lesser sets. Never empty for a set
// that this machine supports.
std::span<const S8TileKernel> s8_tile_kernels(InstructionSet set);
// Returns the best implementation for these weights on the current instruction set.
const S8TileKernel& s8_tile_kernel(std::span<const int8_t> weights);

// Returns whether two weights of -128 share a 16-bit sum. Such weights have the same position in two consecutive groups
// of `distance` bytes, the first of which is even. The sum of their products can exceed 16 bits; all other pairs fit.
// Default groups hold 4 inputs for 16 outputs.
bool s8_has_paired_minima(std::span<const int8_t> weights, size_t distance = 4 * kTileBlock);

// Reorders weights for kernels with pairs_weights: from [length / 4][16 outputs][4 bytes] to
// [length / 8][16 outputs][8 bytes]. `bytes` is a multiple of 8 * kTileBlock; `to` does not overlap `from`.
void pair_s8_weights(const int8_t* from, int64_t bytes, int8_t* to);

// The implementations for each set on its processor family. They are data rather than functions, because their sources
// are compiled for the set. No code in those sources, not even a function that returns an address, may run until the
// CPU is known to support the set.
extern const std::array<S8TileKernel, 1> kS8TileVnni, kS8TileAvx512, kS8TileAvx2, kS8TileDotprod;
extern const std::array<S8TileKernel, 2> kS8TileNeon, kS8TileI8mm;

}  // namespace nestrt::kernels
