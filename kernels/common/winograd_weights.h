// Weights of 3 x 3 convolutions as Winograd's algorithm F(4 x 4, 3 x 3) multiplies them: G g G^T, 6 x 6 for each output
// and channel (kernels/conv/winograd.h), in the packing winograd16: [blocks of 16 outputs][36][channels][16 outputs].
#pragma once

#include "nestrt/shape.h"

namespace nestrt::kernels {

// `plain` is [o][i][3][3]; outputs past the last are zeros. Computed in double, rounded once.
void pack_winograd(const Shape& shape, const float* plain, float* packed);
// The weights from their transforms: g = L (G g G^T) L^T, where L G = 1.
void unpack_winograd(const Shape& shape, const float* packed, float* plain);

}  // namespace nestrt::kernels
