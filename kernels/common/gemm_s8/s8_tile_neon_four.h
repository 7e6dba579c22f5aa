// The inner loop of the s8 tile on cores without dot products, written out for in-order ones: see the source.
#pragma once

#include "kernels/common/gemm_s8/s8_tile.h"

namespace nestrt::kernels {

// The sums of three points or more, one block. Requires: aarch64; s8_lowest_meet() is false of the weights.
void s8_tile_neon_four(const S8Tile& tile);

}  // namespace nestrt::kernels
