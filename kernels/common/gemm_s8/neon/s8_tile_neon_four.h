// SPDX-License-Identifier: Apache-2.0
// The inner loop of the s8 tile for in-order cores without dot products, in assembly. See the source.
#pragma once

#include "kernels/common/gemm_s8/s8_tile.h"

namespace nestrt::kernels {

// Computes the sums of at least three points and one block. Requires: aarch64, and weights for which
// s8_has_paired_minima() is false.
void s8_tile_neon_four(const S8Tile& tile);

}  // namespace nestrt::kernels
