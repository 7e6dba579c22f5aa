// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <algorithm>

#include "nestrt/driver/costs.h"
#include "nestrt/driver/plan_tables.h"
#include "runtime/costs/cost_range.h"
#include "runtime/costs/operator_cost.h"
#include "runtime/costs/stated_cost.h"
#include "runtime/plan/queries/channels.h"
#include "runtime/plan/queries/views.h"
#include "runtime/platform/guard.h"

namespace nestrt {
namespace {

std::string describe(const UnitKey& unit) {
  return fmt::format("unit '{}' ({}, {} thread{})", unit.kind, unit.configuration, unit.threads,
                     unit.threads == 1 ? "" : "s");
}

Status missing(const Plan& plan, uint32_t operator_index, ChannelRange channels, const UnitKey& unit) {
  const plan::Operator& op = plan.tables().operators[operator_index];
  return Status(Code::kNotFound,
                fmt::format("no cost of operator {} '{}' on {}; measure it with nestrt profile. The work is: {}",
                            operator_index, op.name, describe(unit), work_name(plan, operator_index, unit, channels)));
}

// Returns the cost for this number of threads or, as an upper bound, for the next smaller known number.
const WorkCost* find_cost(const CostTable& costs, UnitKey unit, const std::string& work) {
  for (; unit.threads >= 1; --unit.threads)
    if (const WorkCost* cost = costs.find(unit, work)) return cost;
  return nullptr;
}

double share(const Plan& plan, uint32_t operator_index, ChannelRange channels) {
  const plan::Operator& op = plan.tables().operators[operator_index];
  return op.outputs.empty() ? 1 : share_of(plan.tables().tensors[static_cast<uint32_t>(op.outputs[0])].shape, channels);
}

Result<WorkCost> kernels_cost(const CostTable& costs, const Plan& plan, const plan::Branch& branch, const UnitKey& unit,
                              ChannelRange channels) {
  WorkCost sum{0, CostSource::kUnknown};
  for (uint32_t op : branch.operators) {
    NESTRT_ASSIGN_OR_RETURN(const WorkCost cost, operator_cost(costs, plan, op, unit, channels));
    sum.microseconds += cost.microseconds;
    // Finds the least reliable source; sources are ordered from measured to modelled.
    sum.source = std::max(sum.source, cost.source);
  }
  return sum;
}

Result<WorkCost> cost_of(const CostTable& costs, const Plan& plan, uint32_t branch_index, uint32_t program_index,
                         const UnitKey& unit, ChannelRange channels) {
  const plan::Branch& branch = plan.tables().branches[branch_index];
  const plan::Program& program = branch.programs[program_index];
  if (program.kind == plan::ProgramKind::kKernels) return kernels_cost(costs, plan, branch, unit, channels);
  if (const auto known = known_program_cost(costs, plan, branch_index, program_index, unit)) return *known;
  if (const plan::Cost* cost = stated_cost(program))
    return WorkCost{cost->microseconds, static_cast<CostSource>(cost->origin)};
  return kernels_cost(costs, plan, branch, unit, program.channels);
}

Status no_time(const Plan& plan, uint32_t branch_index, const WorkCost& cost, const UnitKey& unit) {
  const plan::Operator& op = plan.tables().operators[plan.tables().branches[branch_index].operators[0]];
  return Status(
      Code::kInvalidArgument,
      fmt::format("costs: branch {} (starting at operator '{}') has an invalid cost of {} us on {}; expected 0 to {}; "
                  "omit branches that the unit cannot run",
                  branch_index, op.name, cost.microseconds, describe(unit), kMaxMicroseconds));
}

}  // namespace

Result<WorkCost> operator_cost(const CostTable& costs, const Plan& plan, uint32_t operator_index, const UnitKey& unit,
                               ChannelRange channels) {
  if (is_view(plan.tables(), plan.tables().operators[operator_index])) return WorkCost{0, CostSource::kModelled};
  if (const WorkCost* cost = find_cost(costs, unit, work_name(plan, operator_index, unit, channels))) return *cost;
  if (channels.all()) return missing(plan, operator_index, channels, unit);
  const WorkCost* const whole = find_cost(costs, unit, work_name(plan, operator_index, unit));
  if (whole == nullptr) return missing(plan, operator_index, channels, unit);
  return WorkCost{whole->microseconds * share(plan, operator_index, channels), CostSource::kModelled};
}

std::optional<WorkCost> known_program_cost(const CostTable& costs, const Plan& plan, uint32_t branch_index,
                                           uint32_t program_index, const UnitKey& unit) {
  if (const WorkCost* cost = find_cost(costs, unit, program_work_name(plan, branch_index, program_index))) return *cost;
  // A profile from another source contains costs of operators, not of programs.
  const plan::Branch& branch = plan.tables().branches[branch_index];
  const auto of_operators = kernels_cost(costs, plan, branch, unit, branch.programs[program_index].channels);
  return of_operators && of_operators->microseconds > 0 ? std::optional(*of_operators) : std::nullopt;
}

Result<WorkCost> branch_cost(const CostTable& costs, const Plan& plan, uint32_t branch_index, uint32_t program_index,
                             const UnitKey& unit, ChannelRange channels) {
  const auto& branches = plan.tables().branches;
  if (branch_index >= branches.size() || program_index >= branches[branch_index].programs.size())
    return Status(Code::kInvalidArgument,
                  fmt::format("the plan has no program {} for a branch {}", program_index, branch_index));
  return guarded([&]() -> Result<WorkCost> {
    NESTRT_ASSIGN_OR_RETURN(const WorkCost cost, cost_of(costs, plan, branch_index, program_index, unit, channels));
    return is_cost(cost.microseconds) ? Result(cost) : no_time(plan, branch_index, cost, unit);
  });
}

}  // namespace nestrt
