// SPDX-License-Identifier: Apache-2.0
#include "runtime/core/budget.h"

#include <catch2/catch.hpp>

namespace nestrt::test {
namespace {

constexpr uint64_t kMost = std::numeric_limits<uint64_t>::max();

TEST_CASE("A budget can be used up but not exceeded") {
  Budget budget = Budget::of_file(10, 2, 5);
  CHECK(budget.limit() == 20);
  CHECK(budget.charge(20));
  CHECK(budget.left() == 0);
  CHECK(budget.charge(0));
  CHECK_FALSE(budget.charge(1));
}

TEST_CASE("A charge that exceeds a budget changes nothing") {
  Budget budget(10);
  CHECK(budget.charge(4));
  CHECK_FALSE(budget.charge(7));
  CHECK_FALSE(budget.charge(kMost));
  CHECK(budget.left() == 6);
}

TEST_CASE("A budget grows with its file and saturates") {
  Budget budget(1);
  CHECK(budget.charge(1));
  budget.extend(3, 4);
  CHECK(budget.left() == 12);
  budget.extend(kMost, 2);
  CHECK(budget.limit() == kMost);
  CHECK(budget.left() == kMost - 1);
  budget.extend(1, 1);
  CHECK(budget.limit() == kMost);
}

}  // namespace
}  // namespace nestrt::test
