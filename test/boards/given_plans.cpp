// SPDX-License-Identifier: Apache-2.0
#include "test/boards/given_plans.h"

#include <fmt/core.h>

#include <catch2/catch.hpp>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <sstream>

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

void print_row(const GivenPlan& given, const char* accelerator, int programs, const SessionMemory& memory) {
  fmt::print("{:<20} {:<26} {:>8} {:>12} {:>12}\n", given.name, accelerator,
             static_cast<uint32_t>(programs) / kRunsOfGivenPlan, memory.copied_bytes, memory.shared_memory_bytes);
  std::fflush(stdout);
}

}  // namespace nestrt::boards
