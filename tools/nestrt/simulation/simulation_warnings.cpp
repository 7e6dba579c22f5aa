// SPDX-License-Identifier: Apache-2.0
#include "tools/nestrt/simulation/simulation_warnings.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <string>
#include <string_view>

#include "nestrt/driver/plan_tables.h"
#include "nestrt/log.h"
#include "runtime/costs/stated_cost.h"
#include "tools/nestrt/simulation/virtual_board.h"
#include "tools/support/text/printable.h"

namespace nestrt::command {
namespace {

bool states_times(const Plan& plan, std::string_view unit) {
  return std::ranges::any_of(plan.tables().branches, [&](const plan::Branch& branch) {
    return std::ranges::any_of(branch.programs, [&](const plan::Program& program) {
      return program.unit == unit && stated_cost(program) != nullptr;
    });
  });
}

void warn(const std::string& path, const std::string& text) {
  log(LogLevel::kWarning, fmt::format("{}: {}", tools::printable(path), text));
}

void warn_of_unused_units(const Plan& plan, const std::string& path, const tools::Board& board) {
  for (const tools::BoardUnit& unit : board.units) {
    if (unit.is_host) continue;
    std::set<std::string> configurations;
    for (const plan::Branch& branch : plan.tables().branches)
      for (const plan::Program& program : branch.programs)
        if (program.unit == unit.kind) configurations.insert(program.configuration);
    if (configurations.contains(unit.configuration)) continue;
    const std::string why = configurations.empty()
                                ? fmt::format("has no program for '{}'", unit.kind)
                                : fmt::format("has programs for '{}' with configuration {}, but the board has {}",
                                              unit.kind, fmt::join(configurations, ", "), unit.configuration);
    warn(path,
         fmt::format(
             "the plan {}, so the unit computes nothing; nestc explain PLAN shows the reasons (usually compile with "
             "--target for this board and --quantize s8)",
             why));
  }
}

void warn_of_other_kernels(const Plan& plan, const std::string& path, const tools::Board& board) {
  std::set<std::string> chosen_for;
  for (const plan::Branch& branch : plan.tables().branches)
    for (const plan::Program& program : branch.programs)
      for (const plan::KernelSelection& selection : program.selections) chosen_for.insert(selection.instruction_set);
  for (const tools::BoardUnit& unit : board.units) {
    if (!unit.is_host || unit.instruction_set.empty() || chosen_for.empty()) continue;
    if (chosen_for.contains(unit.instruction_set)) continue;
    warn(path,
         fmt::format("the plan's kernels were selected for {}, but the board has {} and would select others, which the "
                     "figures ignore; compile the model with --target {}",
                     fmt::join(chosen_for, ", "), unit.instruction_set, board.name));
  }
}

void warn_of_unknown_clocks(const Plan& plan, const std::string& path, const CostTable& profile,
                            const tools::Board& board) {
  for (const tools::BoardUnit& unit : board.units) {
    if (unit.is_host || unit.clock_mhz <= 0) continue;
    const double of_plan = stated_clock_mhz(plan, unit.kind);
    const UnitKey key{unit.kind, unit.configuration, 1};
    if (of_plan == 0 && states_times(plan, unit.kind))
      warn(path, fmt::format("the plan does not specify the clock for the times of its programs for '{}'; "
                             "assuming the board's {:g} MHz; recompile the model",
                             unit.kind, unit.clock_mhz));
    if (of_plan > 0 && of_plan != unit.clock_mhz && profile.units().contains(key) && profile.clock_mhz(key) == 0)
      warn(path, fmt::format("the profile does not specify the clock for the costs of '{0}'; assuming the "
                             "board's {1:g} MHz; record it with nestrt profile --clock {0}=MHZ",
                             unit.kind, unit.clock_mhz));
  }
}

}  // namespace

void warn_of_plan(const Plan& plan, const std::string& path, const CostTable& profile, const tools::Board& board) {
  warn_of_unused_units(plan, path, board);
  warn_of_other_kernels(plan, path, board);
  warn_of_unknown_clocks(plan, path, profile, board);
}

void warn_of_other_processors(const CostTable& profile, const tools::Board& board) {
  for (const tools::BoardUnit& unit : board.units) {
    if (!unit.is_host || unit.instruction_set.empty()) continue;
    std::set<std::string> others;
    for (const auto& [key, works] : profile.units())
      if (key.kind == unit.kind) others.insert(key.configuration);
    if (others.empty() || others.contains(unit.instruction_set)) continue;
    log(LogLevel::kWarning, fmt::format("the profile has costs of '{}' for {} but not for the board's {}; all CPU "
                                        "costs are estimated",
                                        unit.kind, fmt::join(others, ", "), unit.instruction_set));
  }
}

}  // namespace nestrt::command
