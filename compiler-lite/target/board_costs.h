// SPDX-License-Identifier: Apache-2.0
// Costs from a board's file and profiles: the times of the host's kernels and the overheads of its units. They are
// stored in the plan, so that a session's first schedule on that board can use them.
#pragma once

#include <optional>
#include <vector>

#include "compiler-lite/target/target_description.h"
#include "nestrt/driver/costs.h"
#include "nestrt/driver/plan_tables.h"
#include "nestrt/driver/unit.h"
#include "nestrt/plan.h"
#include "nestrt/result.h"

namespace nestrt::compiler {

struct BoardCosts {
  UnitInfo cpu;            // its configuration is the instruction set that identifies it in the profile
  bool knows_cpu = false;  // whether the costs of its kernels are known
  HostRates estimates;
  CostTable profile;
  std::vector<plan::Overhead> overheads;
};

// Returns nullopt if the target is not a board. If the board's file does not specify the CPU's instruction set, or
// contains neither profiles nor estimates, returns only the overheads of the other units. Errors: those of
// read_costs().
Result<std::optional<BoardCosts>> board_costs(const TargetDescription& target);

// Adds the known costs of the plan's operators to `tables`, for a single CPU thread and for all threads.
void state_costs(const BoardCosts& costs, const Plan& plan, plan::Tables& tables);

}  // namespace nestrt::compiler
