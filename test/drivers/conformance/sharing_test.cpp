// SPDX-License-Identifier: Apache-2.0
// Tests executables and sessions that share a unit.
#include <atomic>
#include <catch2/catch.hpp>
#include <deque>

#include "test/drivers/conformance/tested_plan.h"
#include "test/drivers/conformance/units_under_test.h"

namespace nestrt::test {
namespace {

constexpr int kBranches = 10;
const SessionOptions kNoTimeout{.fault_tolerance = {.timeout_factor = 0}};  // for slow machines

PlanFile network_file(TestedUnit& tested, uint32_t seed) { return tested.row().network(kBranches, seed).build(); }

TEST_CASE("Unit conformance: executables of one program are independent") {
  for_every_unit([](TestedUnit& tested) {
    PreparedCopy first = tested.prepare_copy(), second = tested.prepare_copy();
    second.renew();
    for (int round = 0; round < 3; ++round) {
      first.renew();
      const std::vector<int8_t> before = second.y;
      CHECK(first.run().ok());
      CHECK(first.is_right());
      CHECK(second.y == before);
      second.renew();
      first.submit();
      CHECK(second.run().ok());
      CHECK(first.wait().ok());
      CHECK((first.is_right() && second.is_right()));
      CHECK(first.x != second.x);
    }
  });
}

TEST_CASE("Unit conformance: a session with the unit produces the same results as the host alone") {
  for_every_unit([](TestedUnit& tested) {
    for (uint32_t seed = 1; seed <= 5; ++seed) {
      const TestedPlan plan(network_file(tested, seed));
      for (const UnitList& units : tested.with_host_in_any_place()) {
        const auto session = plan.open(units, kNoTimeout);
        CHECK(count_operators_on(*session, tested->info().name) > 0);
        for (uint32_t run = 0; run < 3; ++run) CHECK(plan.is_right(*session, run));
        CHECK(session->num_host_fallbacks() == 0);
      }
    }
  });
}

TEST_CASE("Unit conformance: a session uses the unit for all its programs, regardless of the host's position") {
  for_every_unit([](TestedUnit& tested) {
    const TestedPlan plan(tested.copy_file());
    for (const UnitList& units : tested.with_host_in_any_place()) {
      const auto session = plan.open(units);
      REQUIRE(session->operators().size() == 1);
      CHECK(session->operators()[0].unit == tested->info().name);
      CHECK(plan.is_right(*session, 1));
    }
  });
}

TEST_CASE("Unit conformance: a session without a host runs the unit's programs") {
  for_every_unit([](TestedUnit& tested) {
    const TestedPlan plan(tested.copy_file());
    const auto session = plan.open(tested.alone());
    CHECK(count_operators_on(*session, tested->info().name) == 1);
    CHECK(plan.is_right(*session, 1));
  });
}

TEST_CASE("Unit conformance: a session runs programs for another configuration of the unit on the host") {
  for_every_unit([](TestedUnit& tested) {
    PlanBuilder builder = tested.row().copy_plan();
    for (plan::Program& program : builder.tables().branches[0].programs)
      if (program.unit == tested->info().kind) program.configuration = "another";
    const TestedPlan plan(builder.build());
    const auto session = plan.open(tested.with_host());
    CHECK(count_operators_on(*session, tested->info().name) == 0);
    CHECK(plan.is_right(*session, 1));
  });
}

TEST_CASE("Unit conformance: sessions on different threads share a unit and a plan") {
  for_every_unit([](TestedUnit& tested) {
    constexpr int kSessions = 3, kRuns = 20;
    const TestedPlan plan(network_file(tested, 3));
    const UnitList units = tested.with_host();
    std::deque<std::unique_ptr<Session>> sessions;
    for (int i = 0; i < kSessions; ++i) sessions.push_back(plan.open(units, kNoTimeout));
    std::atomic<int> right{0};
    {
      std::deque<ScopedThread> threads;
      for (uint32_t i = 0; i < kSessions; ++i)
        threads.emplace_back([&, i] {
          for (uint32_t run = 0; run < kRuns; ++run) right += plan.is_right(*sessions[i], kRuns * i + run);
        });
    }
    CHECK(right == kSessions * kRuns);
    for (const auto& session : sessions) CHECK(session->num_host_fallbacks() == 0);
  });
}

TEST_CASE("Unit conformance: sessions of different plans share a unit") {
  for_every_unit([](TestedUnit& tested) {
    const TestedPlan first(network_file(tested, 4)), second(tested.copy_file());
    const UnitList units = tested.with_host();
    const auto one = first.open(units), other = second.open(units);
    std::atomic<int> right{0};
    constexpr uint32_t kRuns = 20;
    ScopedThread thread([&] {
      for (uint32_t run = 0; run < kRuns; ++run) right += first.is_right(*one, run);
    });
    for (uint32_t run = 0; run < kRuns; ++run) right += second.is_right(*other, run);
    thread.join();
    CHECK(right == 2 * kRuns);
  });
}

TEST_CASE("Unit conformance: sessions are created and destroyed during the runs of another") {
  for_every_unit([](TestedUnit& tested) {
    const TestedPlan plan(network_file(tested, 5));
    const UnitList units = tested.with_host();
    const auto stays = plan.open(units);
    std::atomic<bool> is_over{false};
    uint32_t wrong = 0, runs = 0;
    ScopedThread thread(
        [&] {
          do {
            wrong += !plan.is_right(*stays, runs);
          } while (++runs, !is_over);
        },
        [&] { is_over = true; });
    for (uint32_t i = 0; i < 10; ++i) {
      const auto comes = plan.open(units);
      CHECK(plan.is_right(*comes, i));
    }
    thread.join();
    CHECK(runs > 0);
    CHECK(wrong == 0);
  });
}

}  // namespace
}  // namespace nestrt::test
