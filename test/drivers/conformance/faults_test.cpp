// SPDX-License-Identifier: Apache-2.0
// Tests how a unit reacts to failures and how a session reacts to a failing unit.
#include <atomic>
#include <catch2/catch.hpp>
#include <deque>

#include "test/drivers/conformance/tested_plan.h"
#include "test/drivers/conformance/units_under_test.h"

namespace nestrt::test {
namespace {

bool is_failure_of_unit(const Status& status) {
  return status.code() == Code::kDeviceFault || status.code() == Code::kUnavailable;
}

Status fail(TestedUnit& tested, PreparedCopy& copy) {
  tested.faults().fail_next_run();
  return copy.run();
}

TEST_CASE("Unit conformance: a unit that works can be reset, probed and used again") {
  for_every_unit([](TestedUnit& tested) {
    PreparedCopy copy = tested.prepare_copy();
    for (int round = 0; round < 3; ++round) {
      CHECK(tested->reset().ok());
      CHECK(tested->probe().ok());
      check_runs(copy);
    }
  });
}

TEST_CASE("Unit conformance: a unit is reset and probed during runs on other threads") {
  for_every_unit([](TestedUnit& tested) {
    constexpr int kThreads = 2, kRuns = 50;
    const PlanFile file = tested.copy_file();
    std::deque<PreparedCopy> copies;
    for (int thread = 0; thread < kThreads; ++thread) copies.emplace_back(*tested, file);
    std::atomic<int> answered{0};
    const auto run = [&](PreparedCopy& copy) {
      for (int i = 0; i < kRuns; ++i) {
        copy.renew();
        copy.submit();
        const Status status = copy.completion.wait(SteadyClock::now() + kLongEnough);
        answered += status.ok() ? copy.is_right() : status.code() == Code::kCancelled;
      }
    };
    {
      std::deque<ScopedThread> threads;
      for (PreparedCopy& copy : copies) threads.emplace_back([&] { run(copy); });
      for (int i = 0; i < 10; ++i) {
        CHECK(tested->reset().ok());
        CHECK(tested->probe().ok());
      }
    }
    CHECK(answered == kThreads * kRuns);
    for (PreparedCopy& copy : copies) check_runs(copy);
  });
}

TEST_CASE("Unit conformance: a run that fails ends with the reason and a probe restores the unit") {
  for_every_unit([](TestedUnit& tested) {
    PreparedCopy copy = tested.prepare_copy();
    const Status failure = fail(tested, copy);
    CHECK(is_failure_of_unit(failure));
    CHECK_FALSE(failure.message().empty());
    check_recovers_by_probe(tested, copy);
  });
}

TEST_CASE("Unit conformance: a unit reports a failed probe and is restored by a successful one") {
  for_every_unit([](TestedUnit& tested) {
    PreparedCopy copy = tested.prepare_copy();
    CHECK_FALSE(fail(tested, copy).ok());
    tested.faults().fail_next_run();
    const Status status = tested->probe();
    CHECK(status.code() == Code::kUnavailable);
    CHECK_FALSE(status.message().empty());
    CHECK(tested->probe().ok());
    check_runs(copy);
  });
}

TEST_CASE("Unit conformance: a failed run accesses no memory afterwards") {
  for_every_unit([](TestedUnit& tested) {
    PreparedCopy copy = tested.prepare_copy(), other = tested.prepare_copy();
    CHECK_FALSE(fail(tested, copy).ok());
    copy.renew();
    copy.completion.arm();
    CHECK(tested->probe().ok());
    check_runs(other);
    CHECK(copy.is_unchanged());
    CHECK_FALSE(copy.completion.done());
  });
}

TEST_CASE("Unit conformance: submissions after a run that fails are also answered") {
  for_every_unit([](TestedUnit& tested) {
    PreparedCopy running = tested.prepare_copy(), failing = tested.prepare_copy(), waiting = tested.prepare_copy();
    const uint64_t first = tested.submit_hanging(running);
    tested.faults().fail_next_run();
    failing.submit();
    waiting.submit();
    running.executable().cancel(first);
    CHECK(running.wait().code() == Code::kCancelled);
    CHECK(is_failure_of_unit(failing.wait()));
    const Status status = waiting.wait();
    CHECK((status.ok() ? waiting.is_right() : status.code() == Code::kUnavailable && waiting.is_unchanged()));
    CHECK(tested->probe().ok());
    check_runs(waiting);
  });
}

TEST_CASE("Unit conformance: the host replaces a failed unit within the same run") {
  for_every_unit([](TestedUnit& tested) {
    const TestedPlan plan(tested.copy_file());
    for (const UnitList& units : tested.with_host_in_any_place()) {
      const auto session = plan.open(units);
      CHECK(plan.is_right(*session, 1));
      CHECK(session->num_host_fallbacks() == 0);
      tested.faults().fail_next_run();
      CHECK(plan.is_right(*session, 2));
      CHECK(session->num_host_fallbacks() == 1);
      CHECK(plan.is_right(*session, 3));
      CHECK(tested->probe().ok());
    }
  });
}

TEST_CASE("Unit conformance: the host replaces a hanging unit after its time limit") {
  for_every_unit([](TestedUnit& tested) {
    const TestedPlan plan(tested.copy_file());
    SessionOptions options;
    options.fault_tolerance.unit_timeout = std::chrono::milliseconds(50);
    const auto session = plan.open(tested.with_host(), options);
    tested.faults().hang_next_run();
    CHECK(plan.is_right(*session, 1));
    CHECK(session->num_host_fallbacks() == 1);
  });
}

TEST_CASE("Unit conformance: without a host the session fails with its unit") {
  for_every_unit([](TestedUnit& tested) {
    const TestedPlan plan(tested.copy_file());
    const auto session = plan.open(tested.alone());
    tested.faults().fail_next_run();
    CHECK(is_failure_of_unit(plan.run(*session, 1)));
    CHECK(session->num_host_fallbacks() == 0);
    CHECK(tested->probe().ok());
    CHECK(plan.is_right(*session, 2));
  });
}

}  // namespace
}  // namespace nestrt::test
