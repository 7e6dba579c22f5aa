// SPDX-License-Identifier: Apache-2.0
// The tile for three points with chains of 16-bit products. See the source. Requires: aarch64.
#pragma once

#include "kernels/common/gemm_s8/s8_tile.h"

namespace nestrt::kernels {

// Requires tile.chains, tile.points >= 3, and either segments of 16 bytes or one segment whose length is a multiple of
// 16 bytes.
void s8_tile_neon_three(const S8Tile& tile);

}  // namespace nestrt::kernels
