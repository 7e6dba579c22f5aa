// SPDX-License-Identifier: Apache-2.0
// Tests how loops are split into tasks.
#include "kernels/common/framework/parallel_ranges.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <set>
#include <vector>

#include "test/support/kernel/counting_runner.h"

namespace nestrt::test {
namespace {

struct Planes {
  int64_t planes, items, wanted, least;
};

// Returns the ranges of items passed to parallel_planes(), one per plane and task. Counts in `times` how often each
// item is processed.
std::vector<kernels::Range> items_of_tasks(const Planes& p, CountingRunner& runner, std::vector<int>& times) {
  std::vector<kernels::Range> ranges;
  times.assign(static_cast<size_t>(p.planes * p.items), 0);
  kernels::parallel_planes(runner, p.planes, p.items, p.wanted, p.least, [&](int64_t plane, kernels::Range items, int) {
    for (int64_t i = items.first; i < items.last; ++i) ++times[static_cast<size_t>(plane * p.items + i)];
    ranges.push_back(items);
  });
  return ranges;
}

}  // namespace

TEST_CASE("Every item of every plane is assigned to exactly one task") {
  CountingRunner runner(4);
  std::vector<int> times;
  for (const Planes& p :
       {Planes{1, 1, 1, 7}, {3, 56, 8, 7}, {64, 7, 8, 7}, {2, 5, 16, 7}, {1, 100, 8, 1000}, {5, 13, 3, 2}}) {
    items_of_tasks(p, runner, times);
    CAPTURE(p.planes, p.items, p.wanted, p.least);
    CHECK(std::all_of(times.begin(), times.end(), [](int count) { return count == 1; }));
  }
}

TEST_CASE("Tasks process the same items of all planes if there are enough items, otherwise whole planes") {
  CountingRunner runner(4);
  std::vector<int> times;
  std::set<int64_t> beginnings;
  for (const kernels::Range& items : items_of_tasks({6, 56, 4, 14}, runner, times)) beginnings.insert(items.first);
  CHECK(beginnings == std::set<int64_t>{0, 14, 28, 42});
  CHECK(runner.tasks == 4);
  for (const kernels::Range& items : items_of_tasks({6, 7, 3, 14}, runner, times)) CHECK(items.size() == 7);
  CHECK(runner.tasks == 3);
}

TEST_CASE("Work too small for several tasks stays one range") {
  CHECK(kernels::range_count(CountingRunner(4), 100) == 1);
  CHECK(kernels::range_count(CountingRunner(4), 3 * kernels::kTaskElements) == 3);
  CHECK(kernels::range_count(CountingRunner(4), 1000 * kernels::kTaskElements) == 16);
  CHECK(kernels::range_count(CountingRunner(1), 1000 * kernels::kTaskElements) == 1);
}

}  // namespace nestrt::test
