// SPDX-License-Identifier: Apache-2.0
#include "scheduler/unit_queue.h"

#include <catch2/catch.hpp>
#include <vector>

namespace nestrt::scheduler {
namespace {

using std::chrono::milliseconds;

// A unit with a clock that the test controls.
class FakeUnit {
 public:
  void pass(milliseconds time) { now_ += time; }
  void add(UnitClaim& claim) { queue.add(claim, now_); }
  UnitClaim* next() const { return queue.next(now_); }
  void run(UnitClaim& claim, milliseconds time) {
    queue.begin(claim, now_);
    pass(time);
    queue.end(claim, now_);
  }
  bool is_reserved() const { return now_ < queue.reserved_until(); }

  UnitQueue queue;

 private:
  UnitQueue::Time now_ = UnitQueue::Time(std::chrono::hours(1));
};

Deadline at(int hours) { return Deadline(std::chrono::hours(hours)); }

// Runs all claims. Returns them in the order in which they ran.
std::vector<const UnitClaim*> order_of(FakeUnit& unit) {
  std::vector<const UnitClaim*> order;
  while (UnitClaim* const next = unit.next()) {
    order.push_back(next);
    unit.run(*next, milliseconds(0));
  }
  return order;
}

TEST_CASE("A unit runs urgent work first, then the earliest deadline, then the oldest") {
  UnitClaim first, second, late{false, at(9)}, early{false, at(5)}, urgent{true}, urgent_by_then{true, at(20)};
  FakeUnit unit;
  for (UnitClaim* claim : {&first, &second, &late, &urgent, &early, &urgent_by_then}) unit.add(*claim);
  CHECK(unit.queue.oldest() == &first);
  CHECK(order_of(unit) == std::vector<const UnitClaim*>{&urgent_by_then, &urgent, &early, &late, &first, &second});
  CHECK(unit.queue.oldest() == nullptr);
}

TEST_CASE("A claim that was passed over kMaxPassed times gets the unit next") {
  UnitClaim waiting, urgent{true, at(5)};
  FakeUnit unit;
  unit.add(waiting);
  for (uint32_t i = 0; i < UnitQueue::kMaxPassed; ++i) {
    unit.add(urgent);
    REQUIRE(unit.next() == &urgent);
    unit.run(urgent, milliseconds(1));
  }
  unit.add(urgent);
  REQUIRE(unit.next() == &waiting);
  unit.run(waiting, milliseconds(1));
  CHECK(unit.next() == &urgent);
  unit.add(waiting);  // the count restarts
  CHECK(unit.next() == &urgent);
}

// Urgent work with recurring gaps of 4 ms, 9 ms and 1 ms.
struct UnevenWork {
  static constexpr milliseconds kGaps[] = {milliseconds(4), milliseconds(9), milliseconds(1)};
  explicit UnevenWork(FakeUnit& its_unit) : unit(its_unit) {}

  // Runs urgent work until, at the end of a run, the claim is next. Returns the number of urgent runs before that, at
  // most `most`.
  size_t run_until_next_is(const UnitClaim& claim, size_t most) {
    for (size_t i = 0; i < most; ++i) {
      unit.add(urgent[i % 3]);
      unit.run(urgent[i % 3], milliseconds(1));
      if (unit.next() == &claim) return i;
      unit.pass(kGaps[i % 3]);
    }
    return most;
  }

  FakeUnit& unit;
  UnitClaim urgent[3] = {{true}, {true}, {true}};
};

TEST_CASE("A large claim that was passed over kMaxPassed times starts in the widest gap of urgent work") {
  FakeUnit unit;
  UnitClaim large;
  unit.add(large);
  unit.run(large, milliseconds(12));
  UnevenWork uneven(unit);
  uneven.run_until_next_is(large, 9);  // so that the gaps are known
  unit.add(large);
  const size_t after = uneven.run_until_next_is(large, 2 * UnitQueue::kMaxPassed);
  CHECK(after % 3 == 1);
  CHECK(large.passed >= UnitQueue::kMaxPassed);
  CHECK(large.passed < UnitQueue::kMaxPassed + 3);
}

TEST_CASE("A claim that was passed over 2 * kMaxPassed times does not wait for a gap") {
  FakeUnit unit;
  UnitClaim large;
  unit.add(large);
  unit.run(large, milliseconds(12));
  UnevenWork uneven(unit);
  uneven.run_until_next_is(large, 9);
  unit.add(large);
  REQUIRE(uneven.run_until_next_is(large, 3) == 3);  // has seen the gap of 9 ms
  UnitClaim dense{true};
  for (uint32_t i = 0; i <= 2 * UnitQueue::kMaxPassed; ++i) {
    unit.add(dense);
    if (unit.next() == &large) break;
    unit.run(dense, milliseconds(1));
  }
  CHECK(large.passed == 2 * UnitQueue::kMaxPassed);
}

// Urgent work that takes 1 ms every 10 ms. It has run three times, and the last run has just ended.
struct PeriodicWork {
  explicit PeriodicWork(FakeUnit& unit) {
    for (int i = 0; i < 3; ++i) {
      if (i > 0) unit.pass(milliseconds(9));
      unit.add(urgent);
      unit.run(urgent, milliseconds(1));
    }
  }
  UnitClaim urgent{true};
};

TEST_CASE("A unit stays reserved for urgent work if other work would end too late") {
  FakeUnit unit;
  UnitClaim small, large;
  for (const auto& [claim, time] : {std::pair(&small, milliseconds(3)), std::pair(&large, milliseconds(12))}) {
    unit.add(*claim);
    unit.run(*claim, time);
  }
  PeriodicWork periodic(unit);
  unit.add(large);
  CHECK(unit.next() == nullptr);
  unit.add(small);
  CHECK(unit.next() == &small);
  unit.pass(milliseconds(6));
  CHECK(unit.next() == &small);
  unit.pass(milliseconds(1));
  CHECK(unit.next() == nullptr);
  unit.add(periodic.urgent);
  CHECK(unit.next() == &periodic.urgent);
}

TEST_CASE("A unit does not delay a claim that it has not run yet") {
  FakeUnit unit;
  const PeriodicWork periodic(unit);
  UnitClaim unknown;
  unit.add(unknown);
  CHECK(unit.next() == &unknown);
}

TEST_CASE("A unit does not stay reserved for urgent work that is late") {
  FakeUnit unit;
  UnitClaim large;
  unit.add(large);
  unit.run(large, milliseconds(12));
  PeriodicWork periodic(unit);
  unit.add(large);
  unit.pass(milliseconds(9));
  CHECK(unit.next() == nullptr);
  unit.pass(milliseconds(2));
  CHECK_FALSE(unit.is_reserved());
  CHECK(unit.next() == &large);
  unit.run(large, milliseconds(12));
  // The queue does not mistake a pause for the period.
  unit.add(periodic.urgent);
  unit.run(periodic.urgent, milliseconds(1));
  unit.add(large);
  unit.pass(milliseconds(8));
  CHECK(unit.next() == nullptr);
  unit.pass(milliseconds(3));
  CHECK(unit.next() == &large);
}

TEST_CASE("A claim that is removed or destroyed is never next") {
  FakeUnit unit;
  UnitClaim here, gone;
  unit.add(gone);
  unit.add(here);
  CHECK(unit.queue.remove(gone));
  CHECK_FALSE(unit.queue.remove(gone));
  CHECK(order_of(unit) == std::vector<const UnitClaim*>{&here});
  UnitClaim again{true};
  {
    UnitClaim urgent{true};
    unit.add(urgent);
    unit.run(urgent, milliseconds(1));
    CHECK_FALSE(unit.queue.forget(urgent));
  }
  unit.add(again);  // would update the previous claim
  CHECK(unit.next() == &again);
}

}  // namespace
}  // namespace nestrt::scheduler
