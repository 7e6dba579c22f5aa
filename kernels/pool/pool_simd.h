// SPDX-License-Identifier: Apache-2.0
// The loops of the SIMD pooling kernels in pool_fast.cpp.
#pragma once

#include <cstdint>

#include "kernels/pool/pool.h"

namespace nestrt::kernels {

enum class PoolReduction { kMax, kAverage, kL1, kL2 };

// Computes a row of outputs for one block of 16 channels, given the windows along depth and height.
void pool_row16(PoolReduction reduction, const PoolParameters& pool, const float* block, const PoolWindow& depth,
                const PoolWindow& height, float* to);
// Reduces each of the 16 channels of a block over all pixels.
void pool_block16(PoolReduction reduction, const float* input, int64_t pixels, float* output);
// Reduces `count` adjacent elements to one.
float pool_plane(PoolReduction reduction, const float* input, int64_t count);

}  // namespace nestrt::kernels
