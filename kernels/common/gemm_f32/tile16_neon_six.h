// SPDX-License-Identifier: Apache-2.0
// The inner loop of the f32 tile in assembly for in-order cores. See the source.
#pragma once

#include "kernels/common/gemm_f32/tile16.h"

namespace nestrt::kernels {

inline constexpr int64_t kNeonTilePoints = 6;

// Returns how many points of the tile one call can compute, starting with the first: a multiple of six, or 3 to 5.
// Returns 0 if the reduction has irregular segments or there are too few points.
int64_t tile16_neon_six_points(const Tile16& tile);

// Computes a tile with one block and tile16_neon_six_points() points. Its segments have offsets for `all_points`. `low`
// and `high` bound the outputs; the caller applies other activations. Requires: aarch64.
void tile16_neon_six(const Tile16& tile, int64_t all_points, float low, float high);

}  // namespace nestrt::kernels
