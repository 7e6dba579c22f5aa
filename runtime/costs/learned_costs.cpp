#include "runtime/costs/learned_costs.h"

#include <algorithm>
#include <vector>

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
  complete(plan, units);
}

// So that a unit's slowdown reaches what only the plan knows of.
void LearnedCosts::complete(const Plan& plan, std::span<const UnitInfo> units) {
  const auto& branches = plan.tables().branches;
  for (const UnitInfo& unit : units) {
    for (uint32_t branch = 0; branch < branches.size(); ++branch) {
      for (uint32_t index = 0; index < branches[branch].programs.size(); ++index) {
        const plan::Program& program = branches[branch].programs[index];
        if (program.kind == plan::ProgramKind::kKernels || !can_run(program, unit)) continue;
        const Result<WorkCost> cost = branch_cost(costs_, plan, branch, index, key_of(unit));
        if (cost) costs_.set(key_of(unit), branch_work_name(plan, branch, {0, program.channels}), *cost);
      }
    }
  }
}

void LearnedCosts::slow_down(const UnitInfo& unit, double factor) {
  std::vector<UnitKey> keys;
  for (const auto& [key, works] : costs_.units())
    if (is_like(key, unit)) keys.push_back(key);
  for (const UnitKey& key : keys) {
    const CostTable::Works works = costs_.units().at(key);
    for (const auto& [work, cost] : works) costs_.set(key, work, {cost.microseconds * factor, cost.source});
  }
}

void LearnedCosts::correct(const Step& step, const UnitInfo& unit, double factor) {
  const plan::Branch& branch = plan_.tables().branches[step.branch];
  const plan::Program& program = branch.programs[step.program];
  const UnitKey key = key_of(unit, step.threads);
  if (program.kind != plan::ProgramKind::kKernels) {
    const auto known = branch_cost(costs_, plan_, step.branch, step.program, key, step.channels);
    const ChannelRange channels{0, program.channels};
    if (known) correct(key, branch_work_name(plan_, step.branch, channels), known->microseconds, factor);
    return;
  }
  for (const uint32_t op : branch.operators) {
    if (is_view(plan_.tables(), plan_.tables().operators[op])) continue;
    const auto known = operator_cost(costs_, plan_, op, key, step.channels);
    if (known) correct(key, work_name(plan_, op, step.channels), known->microseconds, factor);
  }
}

// Work whose cost followed from that of other work has one of its own then.
void LearnedCosts::correct(const UnitKey& unit, const std::string& work, double known_us, double factor) {
  costs_.set(unit, work, {known_us * factor, CostSource::kMeasured});
}

}  // namespace nestrt
