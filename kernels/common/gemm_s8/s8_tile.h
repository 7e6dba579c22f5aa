// The register tile under every s8 convolution and dense layer: integer sums, without what becomes of them, so that all
// forms of quantization share it.
//
// As in kernels/common/gemm_f32/tile16.h a tile is `points` x (`blocks` * 16) sums, and a segment a run of contiguous
// bytes of the input, per point. Each sum is start + sum of x[i] * weight[i] over the segments of all chunks, modulo
// 2^32.
//
// Weights are [segments of all chunks][length / 4][16 outputs][4 bytes], the order of Packing::kS8O16i4.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "kernels/common/gemm_f32/tile16.h"
#include "kernels/common/gemm_s8/s8_finish.h"
#include "kernels/common/simd/simd.h"

namespace nestrt::kernels {

inline constexpr int64_t kS8Grain = 8;                          // segments are multiples of it
inline constexpr int64_t kS8AheadBytes = 128;                   // two lines of a cache
inline constexpr int64_t kMaxS8TileSums = 14 * 2 * kTileBlock;  // on any instruction set

alignas(64) inline constexpr int8_t kS8Zeros[kTileBlock] = {};

struct S8Tile {
  int64_t points = 0;  // 1 to S8TileKernel::limits.points; more only where S8TileFinishes says so
  int64_t blocks = 0;  // 1 to S8TileKernel::limits.blocks

  // Point p of segment s in chunk c reads from input + c * chunk_stride + offsets[s * points + p]; a negative offset
  // reads the padding instead, for which length must not exceed kTileBlock.
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
  int64_t turn = 0;            // how many tiles have read the same weights before
  // Where not null, with each segment a tile may have kS8AheadBytes from there on come to the caches.
  const int8_t* ahead = nullptr;
  // Of the first block, as kernels/common/gemm_s8/s8_chains.h has them; null where S8TileKernel::chains is false, or
  // where segments are neither one nor of 16 bytes.
  const uint8_t* chains = nullptr;
  // Besides, where no input is below 0 and chunks have one segment without padding: what sums of inputs less 64 start
  // with. The chains are those of such inputs then, and of no others.
  const int32_t* centred_start = nullptr;
  // Where not null, one of S8TileKernel::finishes: the tile writes outputs instead of sums.
  const S8Finish* finish = nullptr;

  const int32_t* start = nullptr;  // blocks * 16
  int32_t* sums = nullptr;         // [points][blocks * 16]
};

// Of which tiles an implementation makes the outputs itself, all of them s8 in whole blocks, points side by side.
enum class S8TileFinishes {
  kInvalidIndex,
  kOfChains,  // kMinChainPoints and more, one block, where there are chains; neither residual nor scales
  kAll,       // of kMinFinishedPoints points or more
};
inline constexpr int64_t kMinFinishedPoints = 12;  // maps of 7 x 7 have no fewer

// One implementation. Dot products of unsigned with signed bytes add 128 to every input, so that the sums come out too
// large by input_offset * (sum of the output's weights): the caller takes that off `start`.
struct S8TileKernel {
  std::string_view name;  // "avx512vnni"
  TileLimits limits;
  int32_t input_offset = 0;
  bool takes_lowest = true;  // right for weights in which s8_lowest_meet() too
  void (*run)(const S8Tile& tile) = nullptr;
  bool chains = false;  // is quicker where it knows how many products fit 16 bits
  S8TileFinishes finishes = S8TileFinishes::kInvalidIndex;
};

// The implementations for an instruction set, best first; those of a lesser set are not among them. Never empty for one
// that this machine can run.
std::span<const S8TileKernel> s8_tile_kernels(InstructionSet set);
// The best one of the current instruction set for these weights.
const S8TileKernel& s8_tile_kernel(std::span<const int8_t> weights);

// Whether two weights are -128 of which the first has a place in an even stretch of `apart` bytes, the second the same
// place in the next: the sum of their products, where all other pairs fit, can exceed 16 bits. Stretches of whole
// blocks, the default, hold 4 inputs of 16 outputs.
bool s8_lowest_meet(std::span<const int8_t> weights, size_t apart = 4 * kTileBlock);

// Those of each set, where the processor family has it. Data, not functions: their sources are compiled for the set, so
// no code of theirs may run (not even what returns an address) before the machine is known to have it.
extern const std::array<S8TileKernel, 1> kS8TileVnni, kS8TileAvx512, kS8TileAvx2, kS8TileDotprod;
extern const std::array<S8TileKernel, 2> kS8TileNeon;

}  // namespace nestrt::kernels
