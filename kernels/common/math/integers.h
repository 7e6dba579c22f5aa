// SPDX-License-Identifier: Apache-2.0
// Integer division helpers.
#pragma once

#include <cstdint>

namespace nestrt::kernels {

// Returns a / b, rounded up. Requires: b > 0.
constexpr int64_t ceil_div(int64_t a, int64_t b) { return a / b + (a % b > 0 ? 1 : 0); }

// Returns the smallest multiple of `multiple` that is at least `count`. Requires: multiple > 0.
constexpr int64_t round_up(int64_t count, int64_t multiple) { return ceil_div(count, multiple) * multiple; }

}  // namespace nestrt::kernels
