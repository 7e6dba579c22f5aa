// SPDX-License-Identifier: Apache-2.0
// Matrix transposes, the basis of layout changes.
#pragma once

#include <cstddef>
#include <cstdint>

namespace nestrt::kernels {

// to[c * to_stride + r] = from[r * from_stride + c] for r < rows, c < columns. Strides and sizes are in elements;
// `element_bytes` is 1, 4 or 8. Accesses no other memory. Elements of 1 and 4 bytes use SIMD.
void transpose_matrix(size_t element_bytes, const std::byte* from, int64_t from_stride, std::byte* to,
                      int64_t to_stride, int64_t rows, int64_t columns);

}  // namespace nestrt::kernels
