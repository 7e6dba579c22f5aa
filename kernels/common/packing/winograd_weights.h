// SPDX-License-Identifier: Apache-2.0
// Weights of 3 x 3 convolutions transformed for Winograd's algorithm: G g G^T for each output and channel, [blocks of
// 16 outputs][positions][channels][16 outputs]. The packings winograd16 (6 x 6 positions), winograd16_two and
// winograd16_strided (4 x 4, kernels/conv/winograd/winograd.h) contain floats. The packing s8_winograd16
// (kernels/conv/winograd/winograd_s8.h) contains 30 G g (30 G)^T as 16-bit integers in native byte order.
#pragma once

#include <cstdint>

#include "nestrt/shape.h"
#include "runtime/kernel/packing.h"

namespace nestrt::kernels {

// `plain` is [o][i][3][3]; outputs beyond the last are set to zero. Floats are computed in double and rounded once.
// Requires: a packing of the kWinograd form for this element type.
void pack_winograd(Packing packing, const Shape& shape, const float* plain, float* packed);
void pack_winograd(Packing packing, const Shape& shape, const int8_t* plain, int8_t* packed);
// Does the same for [o][i][4][4] kernels with kWinogradTaps: 6 x 6 positions. Plans do not contain the result.
void pack_winograd_taps(const Shape& shape, const float* plain, float* packed);
// Recovers the weights from their transforms: g = L (G g G^T) L^T, where L G = 1.
void unpack_winograd(Packing packing, const Shape& shape, const float* packed, float* plain);
void unpack_winograd(Packing packing, const Shape& shape, const int8_t* packed, int8_t* plain);

}  // namespace nestrt::kernels
