// SPDX-License-Identifier: Apache-2.0
#include "kernels/common/framework/parallel_ranges.h"

#include <algorithm>

#include "kernels/common/math/integers.h"

namespace nestrt::kernels {

int64_t range_count(const ParallelRunner& runner, int64_t elements) {
  constexpr int64_t kRangesPerThread = 4;  // balances cores of different speed
  const int64_t threads = runner.num_threads();
  return threads == 1 ? 1 : std::clamp<int64_t>(elements / kTaskElements, 1, threads * kRangesPerThread);
}

void parallel_ranges(ParallelRunner& runner, int64_t count, int64_t item_elements,
                     FunctionRef<void(int64_t first, int64_t last)> body) {
  const int64_t min_items = std::max<int64_t>(1, kTaskElements / std::max<int64_t>(1, item_elements));
  const int64_t ranges = range_count(runner, count / min_items * kTaskElements);
  if (ranges <= 1) {
    if (count > 0) body(int64_t{0}, count);
    return;
  }
  // The first `longer` ranges contain one additional item.
  const int64_t length = count / ranges, longer = count % ranges;
  runner.parallel_for(ranges, [&](int64_t range, int) {
    const int64_t first = range * length + std::min(range, longer);
    body(first, first + length + (range < longer ? 1 : 0));
  });
}

void parallel_planes(ParallelRunner& runner, int64_t planes, int64_t items, int64_t wanted, int64_t least,
                     FunctionRef<void(int64_t plane, Range items, int slot)> body) {
  const int64_t item_parts = std::min({std::max({int64_t{1}, items / least, ceil_div(wanted, planes)}), wanted, items});
  const int64_t plane_parts = std::min(planes, ceil_div(wanted, item_parts));
  runner.parallel_for(item_parts * plane_parts, [&](int64_t index, int slot) {
    const Range mine = part_of(planes, index % plane_parts, plane_parts);
    for (int64_t plane = mine.first; plane < mine.last; ++plane)
      body(plane, part_of(items, index / plane_parts, item_parts), slot);
  });
}

}  // namespace nestrt::kernels
