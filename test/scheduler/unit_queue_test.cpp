#include "scheduler/unit_queue.h"

#include <catch2/catch.hpp>
#include <vector>

namespace nestrt::scheduler {
namespace {

using std::chrono::milliseconds;

// A unit whose time stands still unless the test lets it pass.
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
  bool is_kept() const { return now_ < queue.kept_until(); }

  UnitQueue queue;

 private:
  UnitQueue::Time now_ = UnitQueue::Time(std::chrono::hours(1));
};

Deadline at(int hours) { return Deadline(std::chrono::hours(hours)); }

// In which order they have the unit.
std::vector<const UnitClaim*> order_of(FakeUnit& unit) {
  std::vector<const UnitClaim*> order;
  while (UnitClaim* const next = unit.next()) {
    order.push_back(next);
    unit.run(*next, milliseconds(0));
  }
  return order;
}

TEST_CASE("A unit takes urgent work first, then by deadline, then in the order in which it came") {
  UnitClaim first, second, late{false, at(9)}, early{false, at(5)}, urgent{true}, urgent_by_then{true, at(20)};
  FakeUnit unit;
  for (UnitClaim* claim : {&first, &second, &late, &urgent, &early, &urgent_by_then}) unit.add(*claim);
  CHECK(unit.queue.oldest() == &first);
  CHECK(order_of(unit) == std::vector<const UnitClaim*>{&urgent_by_then, &urgent, &early, &late, &first, &second});
  CHECK(unit.queue.oldest() == nullptr);
}

TEST_CASE("Who has been passed often enough has the unit next, whoever else waits") {
  UnitClaim patient, urgent{true, at(5)};
  FakeUnit unit;
  unit.add(patient);
  for (uint32_t i = 0; i < UnitQueue::kMaxPassed; ++i) {
    unit.add(urgent);
    REQUIRE(unit.next() == &urgent);
    unit.run(urgent, milliseconds(1));
  }
  unit.add(urgent);
  REQUIRE(unit.next() == &patient);
  unit.run(patient, milliseconds(1));
  CHECK(unit.next() == &urgent);
  unit.add(patient);  // starts anew
  CHECK(unit.next() == &urgent);
}

// Urgent work that leaves the unit for 4 ms, 9 ms and 1 ms in turn.
struct UnevenWork {
  static constexpr milliseconds kGaps[] = {milliseconds(4), milliseconds(9), milliseconds(1)};
  explicit UnevenWork(FakeUnit& its_unit) : unit(its_unit) {}

  // Until the claim is next where urgent work has just ended; after which of it.
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

TEST_CASE("Who has been passed often enough begins where urgent work leaves the unit longest") {
  FakeUnit unit;
  UnitClaim large;
  unit.add(large);
  unit.run(large, milliseconds(12));
  UnevenWork uneven(unit);
  uneven.run_until_next_is(large, 9);  // so that its gaps are known
  unit.add(large);
  const size_t after = uneven.run_until_next_is(large, 2 * UnitQueue::kMaxPassed);
  CHECK(after % 3 == 1);
  CHECK(large.passed >= UnitQueue::kMaxPassed);
  CHECK(large.passed < UnitQueue::kMaxPassed + 3);
}

TEST_CASE("Who has been passed twice as often waits for no gap") {
  FakeUnit unit;
  UnitClaim large;
  unit.add(large);
  unit.run(large, milliseconds(12));
  UnevenWork uneven(unit);
  uneven.run_until_next_is(large, 9);
  unit.add(large);
  REQUIRE(uneven.run_until_next_is(large, 3) == 3);  // has seen 9 ms
  UnitClaim dense{true};
  for (uint32_t i = 0; i <= 2 * UnitQueue::kMaxPassed; ++i) {
    unit.add(dense);
    if (unit.next() == &large) break;
    unit.run(dense, milliseconds(1));
  }
  CHECK(large.passed == 2 * UnitQueue::kMaxPassed);
}

// Urgent work of 1 ms that comes every 10 ms, three times; the last has just ended.
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

TEST_CASE("A unit is kept for urgent work from what would not be over when that comes again") {
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

TEST_CASE("What a unit has not run yet it does not keep waiting") {
  FakeUnit unit;
  const PeriodicWork periodic(unit);
  UnitClaim unknown;
  unit.add(unknown);
  CHECK(unit.next() == &unknown);
}

TEST_CASE("A unit is not kept for urgent work that is late") {
  FakeUnit unit;
  UnitClaim large;
  unit.add(large);
  unit.run(large, milliseconds(12));
  PeriodicWork periodic(unit);
  unit.add(large);
  unit.pass(milliseconds(9));
  CHECK(unit.next() == nullptr);
  unit.pass(milliseconds(2));
  CHECK_FALSE(unit.is_kept());
  CHECK(unit.next() == &large);
  unit.run(large, milliseconds(12));
  // A pause is not taken for how it goes on.
  unit.add(periodic.urgent);
  unit.run(periodic.urgent, milliseconds(1));
  unit.add(large);
  unit.pass(milliseconds(8));
  CHECK(unit.next() == nullptr);
  unit.pass(milliseconds(3));
  CHECK(unit.next() == &large);
}

TEST_CASE("Who waits no more, or does not exist any more, is not asked for") {
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
  unit.add(again);  // would tell the one before
  CHECK(unit.next() == &again);
}

}  // namespace
}  // namespace nestrt::scheduler
