// What a board's file and its profiles promise of a plan: the costs of the host's kernels, and what using its units
// costs. The plan carries them, so that a session's first schedule on that board goes by them.
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
  UnitInfo cpu;            // its configuration is the instruction set by which the profile knows it
  bool knows_cpu = false;  // what its kernels cost
  HostRates estimates;
  CostTable profile;
  std::vector<plan::Overhead> overheads;
};

// Empty where the target is no board. Of one that does not state its CPU's instruction set, or has neither profiles nor
// estimates, what using its other units costs.
// Errors: those of read_costs().
Result<std::optional<BoardCosts>> board_costs(const TargetDescription& target);

// Adds to the tables of `plan` what is known of its operators, with one of the CPU's threads and with all of them.
void state_costs(const BoardCosts& costs, const Plan& plan, plan::Tables& tables);

}  // namespace nestrt::compiler
