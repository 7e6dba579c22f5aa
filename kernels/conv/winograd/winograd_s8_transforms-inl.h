// SPDX-License-Identifier: Apache-2.0
// The input and output transforms of s8 Winograd convolutions (kernels/conv/winograd/winograd_s8.h). Include once per
// source, after HWY_PUSH_ATTRIBUTES if there is one. The source provides two classes of operations on a Vector of
// kLanes integers, Words of 16 bits and Sums of 32 bits, both of which wrap:
//   both   add(a, b), sub(a, b), plus<k>(y, x) for y + k * x, minus<k>(y, x) for y - k * x
//   Words  load(const int8_t*); store(v, to, at), which stores each group of four channels to to[group] + at, the first
//          group last
//   Sums   load(const int32_t*), store(v, int32_t*), divide(v): v * kInverse225, shifted right by 2 with its sign
// Everything has internal linkage: code for an instruction set must not reach other translation units.
#pragma once

#include "hwy/base.h"
#include "kernels/conv/winograd/winograd_s8.h"

#define NESTRT_UNROLL _Pragma("GCC unroll 8")

namespace nestrt::kernels {
namespace {

inline constexpr int kSide = static_cast<int>(kWinogradSide), kTile = static_cast<int>(kWinogradTile);
inline constexpr uint32_t kInverse225 = 0x87654321;  // modulo 2^32
static_assert(kInverse225 * 225 == 1);

// B^T d
template <class Words, typename V = typename Words::Vector>
HWY_INLINE void transform_input(const V (&d)[kSide], V (&to)[kSide]) {
  const V a = Words::sub(d[4], d[2]), b = Words::sub(d[3], d[1]);
  const V e = Words::sub(d[0], d[2]), f = Words::sub(d[5], d[3]);
  const V p = Words::add(e, a), q = Words::sub(f, b), r = Words::add(a, b), s = Words::sub(a, b);
  to[0] = Words::template minus<3>(Words::add(p, p), b);
  to[1] = Words::template minus<3>(Words::add(r, r), Words::add(d[2], d[3]));
  to[2] = Words::template plus<3>(Words::add(s, s), Words::sub(d[2], d[3]));
  to[3] = Words::add(Words::add(a, a), b);
  to[4] = Words::sub(a, Words::add(b, b));
  to[5] = Words::template minus<3>(Words::add(q, q), a);
}

// A^T m, modulo 2^32
template <class Sums, typename V = typename Sums::Vector>
HWY_INLINE void transform_output(const V (&m)[kSide], V (&to)[kTile]) {
  const V p = Sums::add(m[1], m[2]), q = Sums::sub(m[1], m[2]);
  to[0] = Sums::template plus<8>(Sums::add(Sums::add(m[0], p), m[3]), m[4]);
  to[1] = Sums::template minus<4>(Sums::add(q, Sums::add(m[3], m[3])), m[4]);
  to[2] = Sums::template plus<4>(Sums::add(p, Sums::add(m[4], m[4])), m[3]);
  to[3] = Sums::template plus<8>(Sums::add(q, Sums::sub(m[5], m[4])), m[3]);
}

// winograd_s8_input()
template <class Words>
HWY_INLINE void transform_tile(const WinogradS8Input& tile) {
  using V = typename Words::Vector;
  constexpr int64_t kSteps = Words::kLanes / kWinogradS8Step;
  int8_t copy[kWinogradPositions * kTileBlock];
  const WinogradPixelRows<int8_t> pixels = pixel_rows(tile.window, copy);
  for (int64_t step = 0; step < tile.steps; step += kSteps) {
    const int8_t* const from = pixels.from + step * kWinogradS8Step;
    V columns[kSide][kSide];  // [column][row]
    NESTRT_UNROLL for (int x = 0; x < kSide; ++x) {
      V d[kSide];
      NESTRT_UNROLL for (int y = 0; y < kSide; ++y) d[y] = Words::load(from + y * pixels.row + x * kTileBlock);
      transform_input<Words>(d, columns[x]);
    }
    // Steps beyond the last go to the address of the first, which overwrites them.
    int16_t* to[kSteps];
    for (int64_t i = 0; i < kSteps; ++i) to[i] = tile.to + (step + (step + i < tile.steps ? i : 0)) * tile.step_stride;
    NESTRT_UNROLL for (int y = 0; y < kSide; ++y) {
      V d[kSide], v[kSide];
      NESTRT_UNROLL for (int x = 0; x < kSide; ++x) d[x] = columns[x][y];
      transform_input<Words>(d, v);
      NESTRT_UNROLL for (int x = 0; x < kSide; ++x) Words::store(v[x], to, (y * kSide + x) * tile.position_stride);
    }
  }
}

// winograd_s8_output()
template <class Sums>
HWY_INLINE void transform_products(const WinogradS8Output& tile) {
  using V = typename Sums::Vector;
  for (int lane = 0; lane < kTileBlock; lane += Sums::kLanes) {
    V rows[kSide][kTile];  // read in storage order, with one address for all
    const int32_t* from = tile.from + lane;
    NESTRT_UNROLL for (int y = 0; y < kSide; ++y) {
      V m[kSide];
      NESTRT_UNROLL for (int x = 0; x < kSide; ++x, from += tile.step) m[x] = Sums::load(from);
      transform_output<Sums>(m, rows[y]);
    }
    const V start = Sums::load(tile.start + lane);
    NESTRT_UNROLL for (int x = 0; x < kTile; ++x) {
      V m[kSide], v[kTile];
      NESTRT_UNROLL for (int y = 0; y < kSide; ++y) m[y] = rows[y][x];
      transform_output<Sums>(m, v);
      NESTRT_UNROLL for (int y = 0; y < kTile; ++y)
          Sums::store(Sums::add(start, Sums::divide(v[y])), tile.to + y * tile.row + x * kTileBlock + lane);
    }
  }
}

}  // namespace
}  // namespace nestrt::kernels
