// SPDX-License-Identifier: Apache-2.0
// The tile for sums so short that the weights for half a block of outputs stay in registers. See the source. Requires:
// aarch64.
#pragma once

#include "kernels/common/gemm_s8/s8_tile.h"

namespace nestrt::kernels {

// Returns whether this code supports the tile: chains and finish are set, and each chunk has one segment without
// padding, with 16 or 32 inputs in total.
bool is_short(const S8Tile& tile);
// Requires: is_short(tile) and tile.points >= 2.
void s8_tile_neon_short(const S8Tile& tile);

}  // namespace nestrt::kernels
