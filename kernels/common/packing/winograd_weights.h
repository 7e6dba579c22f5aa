// Weights of 3 x 3 convolutions as Winograd's algorithm multiplies them: G g G^T for each output and channel, [blocks
// of 16 outputs][positions][channels][16 outputs]. Floats in the packings winograd16, 6 x 6 positions, winograd16_two
// and winograd16_strided, 4 x 4 (kernels/conv/winograd/winograd.h); in s8_winograd16
// (kernels/conv/winograd/winograd_s8.h) 30 G g (30 G)^T, 16 bits each in the machine's order.
#pragma once

#include <cstdint>

#include "nestrt/driver/packing.h"
#include "nestrt/shape.h"

namespace nestrt::kernels {

// `plain` is [o][i][3][3]; outputs past the last are zeros. Floats are computed in double, rounded once. Require: a
// packing of the form kWinograd for such elements.
void pack_winograd(Packing packing, const Shape& shape, const float* plain, float* packed);
void pack_winograd(Packing packing, const Shape& shape, const int8_t* plain, int8_t* packed);
// The same of [o][i][4][4], for kWinogradTaps: 6 x 6 positions, which no plan holds.
void pack_winograd_taps(const Shape& shape, const float* plain, float* packed);
// The weights from their transforms: g = L (G g G^T) L^T, where L G = 1.
void unpack_winograd(Packing packing, const Shape& shape, const float* packed, float* plain);
void unpack_winograd(Packing packing, const Shape& shape, const int8_t* packed, int8_t* plain);

}  // namespace nestrt::kernels
