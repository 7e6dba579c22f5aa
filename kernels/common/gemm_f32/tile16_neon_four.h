// SPDX-License-Identifier: Apache-2.0
// The inner loop of the f32 tile for the 3 or 4 points that remain after groups of six
// (kernels/common/gemm_f32/tile16_neon_six.h). See the source.
#pragma once

#include "kernels/common/gemm_f32/tile16.h"

namespace nestrt::kernels {

// Returns whether one call can compute the tile: 3 or 4 evenly spaced points, even numbers of elements, one block, and
// no bias, residual or activation.
bool supports_tile16_neon_four(const Tile16& tile);

// Requires: supports_tile16_neon_four(), aarch64.
void tile16_neon_four(const Tile16& tile);

}  // namespace nestrt::kernels
