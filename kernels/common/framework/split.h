// How work becomes tasks.
#pragma once

#include <algorithm>
#include <cstdint>

#include "kernels/common/math/integers.h"

namespace nestrt::kernels {

// How many tasks that many sums of that many products are worth.
inline int64_t task_count(int64_t outputs, int64_t reduction, int threads) {
  // A few microseconds: what handing over a task is worth. The cores of boards multiply a tenth as fast.
#if defined(__aarch64__)
  constexpr double kTaskMultiplyAdds = 20'000;
#else
  constexpr double kTaskMultiplyAdds = 200'000;
#endif
  constexpr double kTasksPerThread = 4;  // evens out cores of different speed
  if (threads == 1) return 1;
  const double worth = static_cast<double>(outputs) * static_cast<double>(reduction) / kTaskMultiplyAdds;
  return static_cast<int64_t>(std::clamp(worth, 1.0, threads * kTasksPerThread));
}

// What products of elements of so many bytes cost, in those of f32: instructions multiply as many as they hold.
inline int64_t f32_products(int64_t products, int64_t element_bytes) {
  return (products * element_bytes + int64_t{sizeof(float)} - 1) / int64_t{sizeof(float)};
}

struct Range {
  int64_t first = 0;
  int64_t last = 0;
  int64_t size() const { return last - first; }
};

// Part `index` of `parts` even parts of [0, count), in whole multiples of `grain` but for the end.
inline Range part_of(int64_t count, int64_t index, int64_t parts, int64_t grain = 1) {
  const int64_t grains = ceil_div(count, grain);
  const auto bound = [&](int64_t i) {
    return std::min(count, (grains / parts * i + std::min(i, grains % parts)) * grain);
  };
  return {bound(index), bound(index + 1)};
}

}  // namespace nestrt::kernels
