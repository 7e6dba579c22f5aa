// SPDX-License-Identifier: Apache-2.0
// Exact integer Winograd convolution F(4 x 4, 3 x 3) for s8 (kernels/conv/winograd/winograd.h). Interpolation points
// are 0, 1, -1, 2, -1/2 and infinity, each of which is congruent to one other point modulo 2. The result is y * 30 *
// 30. A shift removes its factor 2^2. The remaining odd factor has an inverse modulo 2^32, so every y below 2^29 is
// exact even though sums wrap. Transformed inputs are at most 14 * 14 * 128, weights 15 * 15 * 128; both fit in 16
// bits.
#pragma once

#include <cstdint>

#include "hwy/detect_targets.h"
#include "kernels/common/gemm_f32/tile16.h"
#include "kernels/conv/winograd/winograd.h"

namespace nestrt::kernels {

// There are no short tiles, because they could not skip any of these points.
inline constexpr WinogradShape kWinogradS8{4, 6, 1, 6};

// The maximum number of channels for which sums stay below 2^29 for all operands.
inline constexpr int64_t kMaxWinogradS8Channels = (int64_t{1} << 29) / (9 * 128 * 128);

// Transformed inputs are multiplied in groups of tiles and steps of four channels: [steps][tiles of the group][4]. A
// group has six tiles; the last group has four if at most four are left.
inline constexpr int64_t kWinogradS8Step = 4;
inline constexpr int64_t kWinogradS8Group = 6, kWinogradS8SmallGroup = 4;

// The number of channels of an output whose transformed weights are adjacent.
inline constexpr int64_t kWinogradS8Adjacent = HWY_ARCH_X86 ? 2 : 1;

constexpr int64_t winograd_s8_group(int64_t tiles_left) {
  return tiles_left > kWinogradS8SmallGroup ? kWinogradS8Group : kWinogradS8SmallGroup;
}

// Some channels of one tile in one block of 16.
struct WinogradS8Input {
  WinogradWindow<int8_t> window;
  int64_t steps = 0;      // number of steps of four channels, 1 to 4
  int16_t* to = nullptr;  // destination; positions are `position_stride` apart, steps `step_stride` apart
  int64_t position_stride = 0;
  int64_t step_stride = 0;
};

// Products of groups of tiles with the weights of 16 outputs at one position.
struct WinogradS8Product {
  int64_t groups = 1;
  const int16_t* inputs = nullptr;   // [groups][steps][tiles][4]
  const int16_t* weights = nullptr;  // [steps][4 / kWinogradS8Adjacent][16][kWinogradS8Adjacent]
  int64_t steps = 0;                 // at least 1
  // distance in bytes from the weights of a step to those it prefetches, which must be readable
  int64_t prefetch_bytes = 0;
  int32_t* sums = nullptr;  // [groups][tiles][16]
};

struct WinogradS8Output {
  const int32_t* from = nullptr;  // 16 sums for each position, `step` apart
  int64_t step = 0;
  const int32_t* start = nullptr;  // 16, added to the sums
  int32_t* to = nullptr;           // 4 rows of 4 pixels of 16, `row` apart
  int64_t row = 0;
};

// The input transform B^T d B, the products for groups of six and of four tiles, and the output transform A^T m A / 900
// + start. Require: NEON or AVX2.
void winograd_s8_input(const WinogradS8Input& tile);
void winograd_s8_multiply_six(const WinogradS8Product& product);
void winograd_s8_multiply_four(const WinogradS8Product& product);
void winograd_s8_output(const WinogradS8Output& tile);
// Transforms the weights of 16 outputs, in the order of Packing::kS8O16i4, to [36][channels / 2][16][2]. `channels` is
// a multiple of 4. Requires: AVX2.
void winograd_s8_weights(const int8_t* from, int64_t channels, int16_t* to);

}  // namespace nestrt::kernels
