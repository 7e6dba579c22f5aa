// SPDX-License-Identifier: Apache-2.0
// Runs given plans on an emulated board without XRT, for script/reports/board-networks.
#include <catch2/catch.hpp>

#include "test/boards/given_plans.h"
#include "test/uio/uio_network.h"

namespace nestrt::boards {
namespace {

void check(const GivenPlan& given, const char* accelerator, const UioBoardOptions& options) {
  const UioRuns runs = check_plan_without_xrt(given.plan, options, kRunsOfGivenPlan);
  report_runs(given, accelerator, options.is_coherent, runs.programs, runs.memory);
}

TEST_CASE("Given plans produce the same results on CPU and board together as on the CPU alone", "[.given]") {
  for_each_given_plan([](const GivenPlan& given) {
    check(given, "without XRT", {});
    check(given, "without XRT, two instances", {.accelerators = 2});
    check(given, "without XRT, coherent", {.is_coherent = true});
  });
}

}  // namespace
}  // namespace nestrt::boards
