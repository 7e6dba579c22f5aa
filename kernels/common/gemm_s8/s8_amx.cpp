// SPDX-License-Identifier: Apache-2.0
#include "kernels/common/gemm_s8/s8_amx.h"

#include "hwy/base.h"

#if HWY_ARCH_X86
#include <immintrin.h>

#include "kernels/common/math/integers.h"

HWY_PUSH_ATTRIBUTES("avx512f,avx512bw,avx512dq,avx512vl,amx-tile,amx-int8")
namespace nestrt::kernels {
namespace {

constexpr int64_t kPlane = 16;                          // bytes of a point in a plane
constexpr int64_t kGroup = kAmxDepth / kPlane;          // adjacent planes
constexpr int64_t kRowBytes = kTileBlock * int64_t{4};  // bytes of a row of weights or sums

// Keeps the compiler from moving memory accesses across tile instructions, whose memory accesses it does not see.
HWY_INLINE void order_memory() { asm volatile("" ::: "memory"); }

// Prefetches the weights of later steps, at most 1 KB per block.
template <int kBlocks>
HWY_INLINE void prefetch_weights(const AmxTile& tile, const int8_t* weights) {
  constexpr int64_t kDistance = 6 * 1024;
  for (int64_t i = kDistance; i < kDistance + tile.weights_step; i += kRowBytes) {
    _mm_prefetch(reinterpret_cast<const char*>(weights + i), _MM_HINT_T1);
    if (kBlocks == 2) _mm_prefetch(reinterpret_cast<const char*>(weights + tile.weights_stride + i), _MM_HINT_T1);
  }
}

template <int kTiles, int kBlocks>
HWY_INLINE void multiply(const AmxTile& tile, int64_t step, const int8_t* weights) {
  const int8_t* const at = tile.points[0] + step;
  _tile_loadd(6, weights, kRowBytes);
  _tile_loadd(4, at, tile.point_stride);
  _tile_dpbssd(0, 4, 6);
  if constexpr (kBlocks == 2) {
    _tile_loadd(7, weights + tile.weights_stride, kRowBytes);
    _tile_dpbssd(1, 4, 7);
  }
  if constexpr (kTiles == 2) {
    _tile_loadd(5, tile.points[1] + step, tile.point_stride);
    _tile_dpbssd(2, 5, 6);
    if constexpr (kBlocks == 2) _tile_dpbssd(3, 5, 7);
  }
}

template <int kTiles, int kBlocks>
HWY_NOINLINE void run(const AmxTile& tile) {
  order_memory();
  _tile_loadd(0, tile.start, 0);  // the same for every point
  if constexpr (kTiles == 2) _tile_loadd(2, tile.start, 0);
  if constexpr (kBlocks == 2) _tile_loadd(1, tile.start + kTileBlock, 0);
  if constexpr (kTiles == 2 && kBlocks == 2) _tile_loadd(3, tile.start + kTileBlock, 0);
  const int64_t last = tile.num_steps - 1;
  const int8_t* weights = tile.weights;
  for (int64_t s = 0; s < last; ++s, weights += tile.weights_step) {
    if (tile.needs_prefetch) prefetch_weights<kBlocks>(tile, weights);
    multiply<kTiles, kBlocks>(tile, tile.steps[s], weights);
  }
  multiply<kTiles, kBlocks>(tile, tile.steps[last], tile.weights + tile.weights_last);
  constexpr int64_t kStride = kBlocks * kRowBytes;
  _tile_stored(0, tile.sums[0], kStride);
  if constexpr (kBlocks == 2) _tile_stored(1, tile.sums[0] + kTileBlock, kStride);
  if constexpr (kTiles == 2) _tile_stored(2, tile.sums[1], kStride);
  if constexpr (kTiles == 2 && kBlocks == 2) _tile_stored(3, tile.sums[1] + kTileBlock, kStride);
  order_memory();
}

// Interleaves a group of four planes, for all points.
HWY_INLINE void interleave_group(const AmxInterleave& p, const int8_t* from, int8_t* to, int64_t to_stride) {
  const auto load = [](const int8_t* at) { return _mm_loadu_si128(reinterpret_cast<const __m128i*>(at)); };
  for (int64_t i = 0; i < p.points; ++i, from += p.point_stride, to += to_stride) {
    __m512i point = _mm512_castsi128_si512(load(from));
    point = _mm512_inserti32x4(point, load(from + p.plane_stride), 1);
    point = _mm512_inserti32x4(point, load(from + 2 * p.plane_stride), 2);
    _mm512_storeu_si512(to, _mm512_inserti32x4(point, load(from + 3 * p.plane_stride), 3));
  }
}

// Interleaves the remaining `planes`, fewer than four, starting at position `first`.
HWY_INLINE void interleave_rest(const AmxInterleave& p, int64_t planes, int64_t first, const int8_t* from, int8_t* to,
                                int64_t to_stride) {
  for (int64_t i = 0; i < p.points; ++i, from += p.point_stride, to += to_stride) {
    __m512i point = _mm512_setzero_si512();
    for (int64_t k = 0; k < planes; ++k) {
      const auto place = static_cast<__mmask16>(0xF << (4 * (first + k)));
      const auto* const at = reinterpret_cast<const __m128i*>(from + k * p.plane_stride);
      point = _mm512_mask_broadcast_i32x4(point, place, _mm_loadu_si128(at));
    }
    _mm512_storeu_si512(to, point);
  }
}

}  // namespace

AmxShape amx_shape(int64_t points, int64_t depth) {
  constexpr int kInputs = 4, kWeights = 6, kTiles = 8;  // registers; sums come first
  constexpr int kWidths = 16, kHeights = 48;  // their offsets in the palette: two bytes per width, one per height
  AmxShape shape;
  shape.bytes[0] = 1;  // palette
  for (int i = 0; i < kTiles; ++i) {
    const bool is_input = i >= kInputs && i < kWeights;
    shape.bytes[kWidths + 2 * i] = static_cast<uint8_t>(is_input ? depth : kRowBytes);
    shape.bytes[kHeights + i] = static_cast<uint8_t>(i < kWeights ? points : depth / 4);
  }
  return shape;
}

AmxUse::AmxUse(const AmxShape& shape) { asm volatile("ldtilecfg %0" ::"m"(shape)); }
AmxUse::~AmxUse() { asm volatile("tilerelease"); }

void amx_run(const AmxTile& tile) {
  if (tile.points[1] == nullptr) return tile.blocks == 1 ? run<1, 1>(tile) : run<1, 2>(tile);
  return tile.blocks == 1 ? run<2, 1>(tile) : run<2, 2>(tile);
}

void amx_interleave(const AmxInterleave& p) {
  const int64_t to_stride = round_up(p.planes * kPlane, kAmxDepth), groups = p.planes / kGroup;
  const int8_t* from = p.from;
  int8_t* to = p.to;
  for (int64_t g = 0; g < groups; ++g, from += kGroup * p.plane_stride, to += kAmxDepth)
    interleave_group(p, from, to, to_stride);
  const int64_t rest = p.planes % kGroup;
  if (rest != 0) interleave_rest(p, rest, groups == 0 ? 0 : kGroup - rest, from, to, to_stride);
}

}  // namespace nestrt::kernels
HWY_POP_ATTRIBUTES
#endif
