// The inner loop of the f32 tile, written out for in-order cores: see the source.
#pragma once

#include "kernels/common/tile16.h"

namespace nestrt::kernels {

inline constexpr int64_t kNeonTilePoints = 6;

// True where tile16_neon_six() can compute the tile.
bool tile16_neon_six_fits(const Tile16& tile);

// A tile of one block. `low` and `high` bound the outputs; other activations are the caller's. Requires: aarch64.
void tile16_neon_six(const Tile16& tile, float low, float high);

}  // namespace nestrt::kernels
