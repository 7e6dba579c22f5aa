// Brings constant weights into the packings of nestrt/driver/packing.h, in the compiler or, where a plan was packed for
// another CPU, in prepare(). The input channels of a packed convolution are those of one group: groups need no more
// than outputs / group to be a multiple of 16.
#pragma once

#include <cstdint>

#include "nestrt/driver/kernel.h"

namespace nestrt::kernels {

// Whether constants of this shape can have this packing.
bool packing_fits(Packing packing, const Shape& shape);

// Bytes of an f32 constant of that shape, s8 for the packings of s8; -1 where the packing does not fit the shape or the
// size overflows.
int64_t packed_bytes(Packing packing, const Shape& shape);

// `plain` is row-major, `packed` holds packed_bytes(). Requires: packing_fits(), and T (float or int8_t) is the type of
// the packing's elements. `none` copies; `winograd16` comes back within 2^-21 of its largest element in each kernel.
template <typename T>
void pack_weights(Packing packing, const Shape& shape, const T* plain, T* packed);
template <typename T>
void unpack_weights(Packing packing, const Shape& shape, const T* packed, T* plain);

// Whether the padding that results depend on is zero, as pack_weights() leaves it: kernels multiply what lies beside
// their operands by that of channels, and that of outputs becomes the padding of a blocked result. Outputs of a matrix
// that do not exist are nobody's. Reads only blocks that have such padding. Requires: as above.
template <typename T>
bool has_zero_padding(Packing packing, const Shape& shape, const T* packed);

}  // namespace nestrt::kernels
