// The f32 tile's inner loop for what sixes of points (kernels/common/gemm_f32/tile16_neon_six.h) leave: see the source.
#pragma once

#include "kernels/common/gemm_f32/tile16.h"

namespace nestrt::kernels {

// Whether one call can compute the tile: 3 or 4 points that lie in line, of even numbers of elements, and of one block
// that the sums alone are wanted of: no bias, residual, or activation.
bool takes_tile16_neon_four(const Tile16& tile);

// Requires: takes_tile16_neon_four(), aarch64.
void tile16_neon_four(const Tile16& tile);

}  // namespace nestrt::kernels
