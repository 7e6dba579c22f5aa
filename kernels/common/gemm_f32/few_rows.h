// SPDX-License-Identifier: Apache-2.0
// Product of at most three rows and an unpacked matrix, which is read row by row. A tile would jump between rows, and
// rows of 2^n floats would evict each other from the cache.
#pragma once

#include <cstdint>

namespace nestrt::kernels {

struct FewRows {
  const float* a = nullptr;  // [rows][inner]
  const float* b = nullptr;  // [inner][columns], `stride` floats apart
  float* y = nullptr;        // [rows][columns], `stride` floats apart
  int64_t rows = 0;          // 1 to 3
  int64_t inner = 0;
  int64_t columns = 0;
  int64_t stride = 0;
};

// Adds the products to each sum in the same order as a tile.
void multiply_few_rows(const FewRows& product);

}  // namespace nestrt::kernels
