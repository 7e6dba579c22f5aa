// SPDX-License-Identifier: Apache-2.0
// Tests that runs with lanes allocate no memory, on any thread and unit.
#include <catch2/catch.hpp>
#include <random>

#include "test/runtime/support/random_network.h"
#include "test/runtime/support/random_schedule.h"
#include "test/support/process/allocation_counter.h"
#include "test/support/test_level.h"

namespace nestrt::test {
namespace {

int64_t allocations_of_runs(Network& network, Session& session, int runs) {
  const AllocationCounter counter;
  for (int run = 0; run < runs; ++run) {
    if (!network.run(session).ok() || !network.is_right()) return -1;
  }
  return counter.count();
}

// Includes the first run, because create() reserves everything.
TEST_CASE("Runs in several lanes, on the CPU's threads and on simulated EVTA, allocate nothing") {
  const Board board;
  std::mt19937 random(11);
  for (int i = by_level(5, 30, 1'000); i > 0; --i) {
    Network network(static_cast<uint32_t>(i));
    SessionOptions options;
    options.fixed_schedule = std::make_shared<const Schedule>(any_random_schedule(*network.plan, random));
    options.fault_tolerance.timeout_factor = 0;  // independent of the speed of the machine
    options.fault_tolerance.check_every = i % 4 == 0 ? 2 : 0;
    const auto session = Session::create(network.plan, board.units, options);
    if (!session) FAIL(session.error().to_string());
    CHECK(allocations_of_runs(network, **session, 3) == 0);
  }
}

}  // namespace
}  // namespace nestrt::test
