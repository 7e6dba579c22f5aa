// SPDX-License-Identifier: Apache-2.0
// Splits work into tasks.
#pragma once

#include <algorithm>
#include <cstdint>

#include "kernels/common/math/integers.h"

namespace nestrt::kernels {

// Returns the number of tasks for `outputs` sums of `reduction` products each.
inline int64_t task_count(int64_t outputs, int64_t reduction, int threads) {
  // One or two microseconds of work, more than the cost of dispatching a task to a spinning thread. Cores of embedded
  // boards multiply at a tenth of the rate.
#if defined(__aarch64__)
  constexpr double kTaskMultiplyAdds = 20'000;
#else
  constexpr double kTaskMultiplyAdds = 70'000;
#endif
  constexpr double kTasksPerThread = 4;  // balances cores of different speeds
  if (threads == 1) return 1;
  const double tasks = static_cast<double>(outputs) * static_cast<double>(reduction) / kTaskMultiplyAdds;
  const auto most = static_cast<int64_t>(std::clamp(tasks, 1.0, threads * kTasksPerThread));
  return most < threads ? most : most / threads * threads;  // equal shares
}

// Converts `products` of elements of `element_bytes` to the f32 products of equal cost. Narrower elements need
// proportionally fewer instructions.
inline int64_t f32_products(int64_t products, int64_t element_bytes) {
  return (products * element_bytes + int64_t{sizeof(float)} - 1) / int64_t{sizeof(float)};
}

struct Range {
  int64_t first = 0;
  int64_t last = 0;
  int64_t size() const { return last - first; }
};

// Splits [0, count) into `parts` even parts and returns part `index`. All parts except the last are multiples of
// `grain`.
inline Range part_of(int64_t count, int64_t index, int64_t parts, int64_t grain = 1) {
  const int64_t grains = ceil_div(count, grain);
  const auto bound = [&](int64_t i) {
    return std::min(count, (grains / parts * i + std::min(i, grains % parts)) * grain);
  };
  return {bound(index), bound(index + 1)};
}

}  // namespace nestrt::kernels
