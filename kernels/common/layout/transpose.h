// SPDX-License-Identifier: Apache-2.0
// Matrix transposes, the basis of layout changes.
#pragma once

#include <cstddef>
#include <cstdint>

namespace nestrt::kernels {

// to[c * to_stride + r] = from[r * from_stride + c] for r < rows, c < columns; strides and sizes in elements of
// `element_bytes` 1, 4 or 8. Accesses nothing else. Elements of 4 bytes and 1 byte use SIMD.
void transpose_matrix(size_t element_bytes, const std::byte* from, int64_t from_stride, std::byte* to,
                      int64_t to_stride, int64_t rows, int64_t columns);

}  // namespace nestrt::kernels
