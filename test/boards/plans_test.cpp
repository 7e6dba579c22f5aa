// SPDX-License-Identifier: Apache-2.0
// Runs given plans on an emulated board, for script/reports/board-networks.
#include <fmt/core.h>

#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <sstream>

#include "test/boards/board_network.h"
#include "test/boards/emulation/driver.h"
#include "test/support/kernel/accumulators.h"

namespace nestrt::boards {
namespace {

void check(const std::filesystem::path& path, const char* accelerator, const BoardSetup& setup) {
  constexpr uint32_t kRuns = 2;
  const auto plan = Plan::map(path.string(), Verification::kComplete);
  if (!plan) FAIL(plan.error().to_string());
  const BoardRuns runs = check_plan(*plan, setup, kRuns);
  // Accumulators become the tensor's f32 when they are copied out of the accelerator's memory.
  if (setup.is_coherent) CHECK(runs.memory.copied_bytes == test::bytes_of_accumulators(**plan));
  fmt::print("{:<20} {:<25} {:>8} {:>12} {:>12}\n", path.stem().string(), accelerator, runs.programs / kRuns,
             runs.memory.copied_bytes, runs.memory.shared_memory_bytes);
  std::fflush(stdout);
}

// NESTRT_BOARD_PLANS: paths of the plans, separated by colons.
TEST_CASE("Given plans produce the same results on CPU and board together as on the CPU alone", "[.given]") {
  const char* const paths = std::getenv("NESTRT_BOARD_PLANS");
  REQUIRE(paths != nullptr);
  fmt::print("{:<20} {:<25} {:>8} {:>12} {:>12}\n", "plan", "accelerator", "programs", "copied B", "crossing B");
  std::istringstream list(paths);
  for (std::string path; std::getline(list, path, ':');) {
    INFO(path);
    check(path, "one kernel", {kernel_xclbin()});
    check(path, "two kernels", {kernel_xclbin(), 2});
    check(path, "four stages", {stages_xclbin()});
    check(path, "user-managed", {user_managed_xclbin()});
    if (!evta::find_xrt_board(kBoard)->cached_buffers) continue;
    check(path, "one kernel, coherent", {kernel_xclbin(), 1, true});
    check(path, "two kernels, coherent", {kernel_xclbin(), 2, true});
    check(path, "four stages, coherent", {stages_xclbin(), 1, true});
  }
}

}  // namespace
}  // namespace nestrt::boards
