// SPDX-License-Identifier: Apache-2.0
// The smallest and largest element of a set of integers. For an empty set, min > max.
#pragma once

#include <cstdint>

namespace nestrt::compiler {

struct IntegerExtremes {
  int64_t min = INT64_MAX;
  int64_t max = INT64_MIN;
};

}  // namespace nestrt::compiler
