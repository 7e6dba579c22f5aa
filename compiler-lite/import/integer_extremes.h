// The smallest and the largest of some integers; of none, the smallest is above the largest.
#pragma once

#include <cstdint>

namespace nestrt::compiler {

struct IntegerExtremes {
  int64_t min = INT64_MAX;
  int64_t max = INT64_MIN;
};

}  // namespace nestrt::compiler
