// The loops of the SIMD pools; pool_fast.cpp makes kernels of them.
#pragma once

#include <cstdint>

#include "kernels/pool/pool.h"

namespace nestrt::kernels {

enum class PoolReduction { kMax, kAverage, kL1, kL2 };

// Output rows [first, last) of a blocked16 tensor, counted over batch, blocks of channels and the outer spatial axes.
void pool_rows16(PoolReduction reduction, const PoolParameters& pool, const float* input, float* output, int64_t first,
                 int64_t last);
// The 16 channels of a block over all its pixels.
void pool_block16(PoolReduction reduction, const float* input, int64_t pixels, float* output);
// `count` neighbouring elements.
float pool_plane(PoolReduction reduction, const float* input, int64_t count);

}  // namespace nestrt::kernels
