// Packings of constant weights: the order of elements that a kernel wants, made by the compiler or, where a plan was
// packed for another CPU, by prepare(). All have blocks of 16 outputs, one block size for every instruction set. A
// packed constant keeps its logical shape; only the order and the number of bytes differ. Outputs past the end of the
// last block are zeros.
//
//   none         as the shape says
//   o16i16       convolution [M, I, spatial...]: [ceil(M/16)][ceil(I/16)][spatial][<=16 i][16 o]; the last block of i
//                holds only the channels that exist, so that its length is that of the reduction
//   stem16       convolution [M, I, spatial...]: [ceil(M/16)][I][spatial][16 o]
//   depthwise16  depthwise convolution [M, 1, spatial...]: [ceil(M/16)][spatial][16 o]
//   panel16      matrix [K, N]: [ceil(N/16)][K][16 n]
//
// Those of s8, where the channels past the last are zeros as well, so that kernels read whole blocks of 16:
//
//   s8_o16i4        convolution [M, I, spatial...]: [ceil(M/16)][ceil(I/16)][spatial][4 groups of i][16 o][4 i]
//   s8_depthwise16  depthwise convolution [M, 1, spatial...]: [ceil(M/16)][spatial][16 o]
//   s8_stem         convolution [M, I, spatial..., W]: [ceil(M/16)][groups of r][16 o][4 r], where r counts the weights
//                   of an output as [W][I][spatial...] and goes on to a multiple of 8
//   s8_panel        matrix [K, N]: [ceil(N/16)][groups of k][16 n][4 k], up to a k that is a multiple of 16
//
// I is the number of input channels of one group: groups need no more than M / group to be a multiple of 16.
#pragma once

#include <cstdint>

#include "nestrt/kernel.h"

namespace nestrt::kernels {

// Whether constants of this shape can have this packing.
bool packing_fits(Packing packing, const Shape& shape);

// Bytes of an f32 constant of that shape, s8 for the packings of s8; -1 where the packing does not fit the shape or the
// size overflows.
int64_t packed_bytes(Packing packing, const Shape& shape);

// `plain` is row-major, `packed` holds packed_bytes(). Requires: packing_fits(), and T (float or int8_t) is the type of
// the packing's elements. `none` copies.
template <typename T>
void pack_weights(Packing packing, const Shape& shape, const T* plain, T* packed);
template <typename T>
void unpack_weights(Packing packing, const Shape& shape, const T* packed, T* plain);

}  // namespace nestrt::kernels
