// SPDX-License-Identifier: Apache-2.0
// Mutated plans with every operator that has its own rules.
#include "test/support/plan/plan_fuzz.h"

#include <catch2/catch.hpp>

#include "nestrt/open_units.h"
#include "test/support/evta/evta_configuration.h"
#include "test/support/plan/copy_plan.h"
#include "test/support/plan/sample_plans.h"
#include "test/support/process/quiet.h"
#include "test/support/test_level.h"

namespace nestrt::test {
namespace {

TEST_CASE("Mutated plans are refused or run within their memory") {
  const PlanFile samples[] = {relu_plan().build(),          branches_plan().build(),   views_plan().build(),
                              blocked_plan().build(),       plain_conv_plan().build(), unpacked_conv_plan().build(),
                              movement_plan().build(),      classifier_plan().build(), divisible_plan(40).build(),
                              channelwise_plan(40).build(), selection_plan().build(),  integer_plan().build()};
  const int mutants = by_level(20000, 100000, 5000000);
  const FuzzResult result = fuzz_plans(samples, mutants, 2024);
  CHECK(result.overran == 0);
  CHECK(result.unsteady == 0);
  CHECK(result.refused > mutants / 10);
  CHECK(result.ran > mutants / 100);
  CHECK(result.divided > mutants / 100);
}

TEST_CASE("Mutated plans are refused or run within their memory on two threads and an accelerator") {
  const evta::Configuration& configuration = evta::test::stock_configuration();
  const PlanFile samples[] = {evta::test::random_network(configuration, 6, 1).build(),
                              divisible_plan(40).build(),
                              evta::test::copy_plan(configuration).build(),
                              channelwise_plan(40).build(),
                              evta::test::random_network(configuration, 6, 2).build(),
                              branches_plan().build()};
  const auto units = open_units("cpu,evta:sim", {.num_threads = 2});
  REQUIRE(units);
  const Quiet quiet;
  const int mutants = by_level(2000, 10000, 250000);
  const FuzzResult result = fuzz_plans_on(*units, samples, mutants, 2025);
  CHECK(result.overran == 0);
  CHECK(result.unsteady == 0);
  CHECK(result.refused > mutants / 10);
  CHECK(result.ran > mutants / 100);
}

}  // namespace
}  // namespace nestrt::test
