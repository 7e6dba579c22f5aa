// SPDX-License-Identifier: Apache-2.0
// Runs given plans on an emulated board, for script/reports/board-networks.
#include <catch2/catch.hpp>

#include "test/boards/board_network.h"
#include "test/boards/emulation/driver.h"
#include "test/boards/given_plans.h"

namespace nestrt::boards {
namespace {

void check(const GivenPlan& given, const char* accelerator, const BoardSetup& setup) {
  const BoardRuns runs = check_plan(given.plan, setup, kRunsOfGivenPlan);
  report_runs(given, accelerator, setup.is_coherent, runs.programs, runs.memory);
}

TEST_CASE("Given plans produce the same results on CPU and board together as on the CPU alone", "[.given]") {
  for_each_given_plan([](const GivenPlan& given) {
    check(given, "one kernel", {kernel_xclbin()});
    check(given, "two kernels", {kernel_xclbin(), 2});
    check(given, "four stages", {stages_xclbin()});
    check(given, "user-managed", {user_managed_xclbin()});
    if (!evta::find_xrt_board(kBoard)->cached_buffers) return;
    check(given, "one kernel, coherent", {kernel_xclbin(), 1, true});
    check(given, "two kernels, coherent", {kernel_xclbin(), 2, true});
    check(given, "four stages, coherent", {stages_xclbin(), 1, true});
  });
}

}  // namespace
}  // namespace nestrt::boards
