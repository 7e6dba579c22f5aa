// SPDX-License-Identifier: Apache-2.0
// Finds the programs of a plan that a unit can run.
#pragma once

#include <algorithm>
#include <optional>

#include "nestrt/driver/plan_tables.h"
#include "nestrt/driver/unit.h"

namespace nestrt {

// Returns whether the program matches the unit's kind and configuration (or accepts any configuration) and was not
// refused.
inline bool can_run(const plan::Program& program, const UnitInfo& unit) {
  if (program.unit != unit.kind) return false;
  if (!program.configuration.empty() && program.configuration != unit.configuration) return false;
  return std::ranges::find(unit.refused, &program) == unit.refused.end();
}

// Returns the index in Branch.programs of the first program that the unit can run and that computes the whole branch.
inline std::optional<uint32_t> program_index_for(const plan::Branch& branch, const UnitInfo& unit) {
  const auto& programs = branch.programs;
  for (uint32_t index = 0; index < programs.size(); ++index)
    if (programs[index].channels.all() && can_run(programs[index], unit)) return index;
  return std::nullopt;
}

// Returns the first program that the unit can run and that computes the whole branch, or null.
inline const plan::Program* program_for(const plan::Branch& branch, const UnitInfo& unit) {
  const std::optional<uint32_t> index = program_index_for(branch, unit);
  return index ? &branch.programs[*index] : nullptr;
}

// Visits (branch, index in Branch.programs, program) for all programs that the unit can run.
template <typename Visit>
void for_each_program_for(const plan::Tables& plan, const UnitInfo& unit, const Visit& visit) {
  for (uint32_t branch = 0; branch < plan.branches.size(); ++branch)
    for (uint32_t index = 0; index < plan.branches[branch].programs.size(); ++index)
      if (can_run(plan.branches[branch].programs[index], unit))
        visit(branch, index, plan.branches[branch].programs[index]);
}

// Returns whether the plan has a program for the unit.
inline bool is_useful(const plan::Tables& plan, const UnitInfo& unit) {
  return std::ranges::any_of(plan.branches,
                             [&](const plan::Branch& branch) { return program_index_for(branch, unit).has_value(); });
}

}  // namespace nestrt
