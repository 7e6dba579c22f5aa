// The inner loop of the f32 tile, written out for in-order cores: see the source.
#pragma once

#include "kernels/common/gemm_f32/tile16.h"

namespace nestrt::kernels {

inline constexpr int64_t kNeonTilePoints = 6;

// How many of the tile's points, from the first on, one call can compute: whole sixes, or 3 to 5; 0 where its reduction
// is of odd segments, or there are fewer.
int64_t tile16_neon_six_points(const Tile16& tile);

// A tile of one block and so many points, whose segments have offsets for `all_points`. `low` and `high` bound the
// outputs; other activations are the caller's. Requires: aarch64.
void tile16_neon_six(const Tile16& tile, int64_t all_points, float low, float high);

}  // namespace nestrt::kernels
