// SPDX-License-Identifier: Apache-2.0
// Vectorized search for elements that exceed a bound.
#pragma once

#include <cstdint>

namespace nestrt::kernels {

// Returns the first i for which sign * x[i] <= sign * bound is false (always the case for NaN), or `count` if there is
// no such element.
using FirstAboveFunction = int64_t (*)(const float* x, int64_t count, float sign, float bound);
FirstAboveFunction first_above_function();

}  // namespace nestrt::kernels
