#include "runtime/costs/learned_costs.h"

#include <algorithm>
#include <string>

#include "runtime/costs/operator_cost.h"
#include "runtime/costs/unit_key.h"
#include "runtime/plan/program_for.h"
#include "runtime/plan/views.h"

namespace nestrt {
namespace {

// What a file says costs nothing has to be able to become dearer.
constexpr double kLeastUs = 0.01;

bool is_like(const UnitKey& key, const UnitInfo& unit) {
  return key.kind == unit.kind && key.configuration == unit.configuration;
}

bool has_like(std::span<const UnitInfo> units, const UnitKey& key) {
  return std::ranges::any_of(units, [&](const UnitInfo& unit) { return is_like(key, unit); });
}

}  // namespace

LearnedCosts::LearnedCosts(const Plan& plan, std::span<const UnitInfo> units, const CostTable& predicted)
    : plan_(plan) {
  for (const auto& [key, works] : predicted.units())
    if (has_like(units, key))
      for (const auto& [work, cost] : works)
        costs_.set(key, work, {std::max(cost.microseconds, kLeastUs), cost.source});
  for (const auto& [key, overhead] : predicted.overheads()) costs_.set_overhead(key, overhead);
  complete(units);
}

// So that a unit's slowdown reaches what only the plan knows of.
void LearnedCosts::complete(std::span<const UnitInfo> units) {
  for (const UnitInfo& unit : units) {
    for_each_program_for(plan_.tables(), unit, [&](uint32_t branch, uint32_t index, const plan::Program& program) {
      if (program.kind == plan::ProgramKind::kKernels) return;
      const Result<WorkCost> cost = branch_cost(costs_, plan_, branch, index, key_of(unit));
      if (cost) costs_.set(key_of(unit), program_work_name(plan_, branch, index), *cost);
    });
  }
}

void LearnedCosts::slow_down(const UnitInfo& unit, double factor) {
  const CostTable before = costs_;
  for (const auto& [key, works] : before.units())
    if (is_like(key, unit))
      for (const auto& [work, cost] : works) costs_.set(key, work, {cost.microseconds * factor, cost.source});
}

// Work whose cost followed from that of other work has one of its own then.
void LearnedCosts::correct(const Step& step, const UnitInfo& unit, double factor) {
  const plan::Branch& branch = plan_.tables().branches[step.branch];
  const plan::Program& program = branch.programs[step.program];
  const UnitKey key = key_of(unit, step.threads);
  const auto set = [&](const std::string& work, const Result<WorkCost>& known) {
    if (known) costs_.set(key, work, {known->microseconds * factor, CostSource::kMeasured});
  };
  if (program.kind != plan::ProgramKind::kKernels)
    return set(program_work_name(plan_, step.branch, step.program),
               branch_cost(costs_, plan_, step.branch, step.program, key, step.channels));
  for (const uint32_t op : branch.operators)
    if (!is_view(plan_.tables(), plan_.tables().operators[op]))
      set(work_name(plan_, op, step.channels), operator_cost(costs_, plan_, op, key, step.channels));
}

}  // namespace nestrt
