// SPDX-License-Identifier: Apache-2.0
// Converts constant weights to the packings in runtime/kernel/packing.h. The compiler does this in advance; prepare()
// does it if the plan targets another CPU. The input channels of a packed convolution are those of one group. If there
// are several groups, the number of outputs per group must be a multiple of 16.
#pragma once

#include <cstdint>

#include "runtime/kernel/kernel.h"

namespace nestrt::kernels {

// Returns whether this packing supports constants of this shape.
bool packing_fits(Packing packing, const Shape& shape);

// Returns the size in bytes of a packed constant with this shape (f32 or s8, depending on the packing). Returns -1 if
// the packing does not support the shape or the size overflows.
int64_t packed_bytes(Packing packing, const Shape& shape);

// Convert weights to and from a packing. `plain` is row-major. `packed` has packed_bytes() bytes. Requires:
// packing_fits(), and T (float or int8_t) is the element type of the packing. Packing `none` copies. Unpacking
// `winograd16` is inexact: errors are at most 2^-21 times the kernel's largest element.
template <typename T>
void pack_weights(Packing packing, const Shape& shape, const T* plain, T* packed);
template <typename T>
void unpack_weights(Packing packing, const Shape& shape, const T* packed, T* plain);

// Returns whether all padding that can affect results is zero, as written by pack_weights(). Kernels multiply the
// padding of channels by out-of-range operands, and the padding of outputs becomes the padding of a blocked result. The
// output padding of a matrix is unused. Reads only blocks that contain padding. Requires: the preconditions of
// pack_weights().
template <typename T>
bool has_zero_padding(Packing packing, const Shape& shape, const T* packed);

}  // namespace nestrt::kernels
