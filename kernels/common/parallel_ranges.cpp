#include "kernels/common/parallel_ranges.h"

#include <algorithm>

namespace nestrt::kernels {

void parallel_ranges(ParallelRunner& runner, int64_t count, int64_t item_elements,
                     FunctionRef<void(int64_t first, int64_t last)> body) {
  constexpr int64_t kRangesPerThread = 4;  // evens out cores of different speed
  const int64_t min_items = std::max<int64_t>(1, kTaskElements / std::max<int64_t>(1, item_elements));
  const int64_t threads = runner.num_threads();
  const int64_t ranges = threads == 1 ? 1 : std::min(count / min_items, threads * kRangesPerThread);
  if (ranges <= 1) {
    if (count > 0) body(int64_t{0}, count);
    return;
  }
  // The first `longer` ranges have one item more.
  const int64_t length = count / ranges, longer = count % ranges;
  runner.parallel_for(ranges, [&](int64_t range, int) {
    const int64_t first = range * length + std::min(range, longer);
    body(first, first + length + (range < longer ? 1 : 0));
  });
}

}  // namespace nestrt::kernels
