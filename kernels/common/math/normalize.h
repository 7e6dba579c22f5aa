// SPDX-License-Identifier: Apache-2.0
// Normalization of rows, one function per instruction set. Mean and variance are computed in double precision and two
// passes, because a single-pass variance of large, close numbers would suffer from cancellation.
#pragma once

#include <cstdint>

namespace nestrt::kernels {

// y = (x - mean) * factor / sqrt(variance + epsilon) + offset, then times scale plus bias, which may be null.
struct NormalizedRow {
  const float* x = nullptr;
  float* y = nullptr;
  int64_t count = 0;
  double epsilon = 0;
  double factor = 1, offset = 0;
  const float* scale = nullptr;
  const float* bias = nullptr;
};

using NormalizeFunction = void (*)(const NormalizedRow& row);
NormalizeFunction normalize_function();

// y = x / norm, where norm is the p-norm of the `count` elements; p is 1 or 2. If all elements are zero, y is zero.
using LpNormalizeFunction = void (*)(const float* x, float* y, int64_t count, int p);
LpNormalizeFunction lp_normalize_function();

// Does the same for `columns` slices whose elements are `step` apart.
using LpNormalizeColumnsFunction = void (*)(const float* x, float* y, int64_t columns, int64_t count, int64_t step,
                                            int p);
LpNormalizeColumnsFunction lp_normalize_columns_function();

}  // namespace nestrt::kernels
