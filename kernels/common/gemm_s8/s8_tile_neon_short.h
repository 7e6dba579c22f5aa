// The tile of sums so short that the weights of half a block of outputs stay in registers: see the source. Require:
// aarch64.
#pragma once

#include "kernels/common/gemm_s8/s8_tile.h"

namespace nestrt::kernels {

// Whether it takes a tile: one with chains whose outputs are wanted, of 16 or 32 inputs in one segment of each chunk,
// without padding.
bool is_short(const S8Tile& tile);
// Requires is_short(tile) and tile.points >= 2.
void s8_tile_neon_short(const S8Tile& tile);

}  // namespace nestrt::kernels
