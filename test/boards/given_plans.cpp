// SPDX-License-Identifier: Apache-2.0
#include "test/boards/given_plans.h"

#include <fmt/core.h>

#include <catch2/catch.hpp>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <sstream>

#include "test/support/kernel/accumulators.h"

namespace nestrt::boards {

void for_each_given_plan(const std::function<void(const GivenPlan&)>& check) {
  const char* const paths = std::getenv("NESTRT_BOARD_PLANS");
  REQUIRE(paths != nullptr);
  fmt::print("{:<20} {:<26} {:>8} {:>12} {:>12}\n", "plan", "accelerator", "programs", "copied B", "crossing B");
  std::istringstream list(paths);
  for (std::string path; std::getline(list, path, ':');) {
    INFO(path);
    auto plan = Plan::map(path, Verification::kComplete);
    if (!plan) FAIL(plan.error().to_string());
    check({std::filesystem::path(path).stem().string(), *plan});
  }
}

void report_runs(const GivenPlan& given, const char* accelerator, bool is_coherent, int programs,
                 const SessionMemory& memory) {
  // Accumulators become the tensor's f32 when they are copied out of the accelerator's memory, unless the host computed
  // them. Nothing else is copied.
  if (is_coherent) CHECK(memory.copied_bytes <= test::bytes_of_accumulators(*given.plan));
  fmt::print("{:<20} {:<26} {:>8} {:>12} {:>12}\n", given.name, accelerator,
             static_cast<uint32_t>(programs) / kRunsOfGivenPlan, memory.copied_bytes, memory.shared_memory_bytes);
  std::fflush(stdout);
}

}  // namespace nestrt::boards
