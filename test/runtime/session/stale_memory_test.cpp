// SPDX-License-Identifier: Apache-2.0
// Results do not depend on stale contents of the arena, scratch memory, outputs, or memory that units prepare.
#include <algorithm>
#include <catch2/catch.hpp>
#include <span>

#include "drivers/evta/driver/evta_unit.h"
#include "drivers/evta/simulator/simulator_transport.h"
#include "nestrt/open_units.h"
#include "runtime/platform/aligned_memory.h"
#include "test/support/evta/evta_configuration.h"
#include "test/support/kernel/guarded_run.h"
#include "test/support/plan/copy_plan.h"
#include "test/support/plan/flat_costs.h"
#include "test/support/plan/sample_plans.h"
#include "test/support/process/allocation_fill.h"
#include "test/support/process/allocation_hook.h"
#include "test/support/process/quiet.h"
#include "test/support/skip.h"

namespace nestrt::test {
namespace {

std::vector<PlanFile> sample_plans() {
  std::vector<PlanFile> plans;
  for (const auto make : {relu_plan, branches_plan, views_plan, blocked_plan, plain_conv_plan, unpacked_conv_plan,
                          movement_plan, selection_plan, integer_plan, classifier_plan})
    plans.push_back(make().build());
  for (const int64_t channels : {16, 20, 40}) {
    plans.push_back(divisible_plan(channels).build());
    plans.push_back(channelwise_plan(channels).build());
  }
  plans.push_back(evta::test::copy_plan(evta::test::stock_configuration()).build());
  for (uint32_t seed = 0; seed < 10; ++seed)
    plans.push_back(evta::test::random_network(evta::test::stock_configuration(), 10, seed).build());
  return plans;
}

// The host and an accelerator whose memories initially contain `stale`.
UnitList units_of(int num_threads, std::byte stale) {
  UnitList units = *open_units("cpu", {.num_threads = num_threads});
  evta::EvtaOptions options;
  options.configuration = &evta::test::stock_configuration();
  units.push_back(*evta::open_evta_unit(options, evta::make_simulator_transport({.faults = nullptr, .stale = stale})));
  return units;
}

GuardedRun run_on(const std::shared_ptr<const Plan>& plan, const UnitList& units, Stale stale) {
  SessionOptions options;
  options.costs.table = flat_costs(*plan, units, [](const UnitInfo&) { return 100; });
  return run_guarded(plan, units, options, stale);
}

TEST_CASE("No result depends on stale memory, on the host, with an accelerator, or with several threads") {
  const Quiet quiet;
  for (const PlanFile& file : sample_plans()) {
    const auto plan = Plan::from_memory(file.bytes(), Verification::kComplete);
    REQUIRE(plan);
    const GuardedRun expected = run_guarded(*plan, *open_units("cpu", {.num_threads = 1}), {}, Stale::kZeros);
    REQUIRE(expected.ran);
    REQUIRE_FALSE(expected.outputs.empty());
    for (const int threads : {1, 2}) {
      CHECK(run_on(*plan, *open_units("cpu", {.num_threads = threads}), Stale::kNans).outputs == expected.outputs);
      CHECK(run_on(*plan, units_of(threads, std::byte{0x81}), Stale::kNans).outputs == expected.outputs);
      CHECK(run_on(*plan, units_of(threads, std::byte{0x5A}), Stale::kZeros).outputs == expected.outputs);
    }
  }
}

// Shows that the test above can detect a dependency on stale memory.
TEST_CASE("The allocation hook fills memory as configured") {
  if (!allocations_can_be_filled()) return skip("ThreadSanitizer clears what is allocated");
  for (const Stale stale : {Stale::kZeros, Stale::kNans}) {
    const AllocationFill allocations(stale);
    const auto memory = AlignedMemory::allocate(4096, "an arena");
    REQUIRE(memory);
    std::vector<std::byte> expected(memory->size());
    fill(expected, stale);
    CHECK(std::ranges::equal(std::span(memory->data(), memory->size()), expected));
  }
}

}  // namespace
}  // namespace nestrt::test
