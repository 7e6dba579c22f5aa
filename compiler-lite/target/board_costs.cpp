// SPDX-License-Identifier: Apache-2.0
#include "compiler-lite/target/board_costs.h"

#include <algorithm>
#include <utility>

#include "runtime/costs/estimated_costs.h"
#include "runtime/costs/operator_cost.h"
#include "runtime/costs/unit_key.h"

namespace nestrt::compiler {
namespace {

plan::Overhead overhead_of(const UnitDescription& unit, const std::string& configuration) {
  const UnitOverhead& overhead = unit.overhead;
  return {unit.kind,
          configuration,
          1,
          static_cast<float>(overhead.start_us),
          static_cast<float>(overhead.finish_us),
          static_cast<float>(overhead.mb_per_s),
          static_cast<float>(overhead.lane_us)};
}

bool states_any(const UnitOverhead& overhead) {
  return overhead.start_us > 0 || overhead.finish_us > 0 || overhead.mb_per_s > 0 || overhead.lane_us > 0;
}

plan::HostCosts costs_of(const Plan& plan, const UnitInfo& cpu, const CostTable& known) {
  plan::HostCosts costs{cpu.configuration, static_cast<uint32_t>(cpu.num_threads), {}};
  for (uint32_t op = 0; op < plan.tables().operators.size(); ++op) {
    const auto cost = operator_cost(known, plan, op, key_of(cpu), {});
    costs.microseconds.push_back(cost ? static_cast<float>(cost->microseconds) : 0);
  }
  return costs;
}

}  // namespace

Result<std::optional<BoardCosts>> board_costs(const TargetDescription& target) {
  const UnitDescription& cpu = target.units.front();
  BoardCosts costs;
  costs.knows_cpu = !cpu.instruction_set.empty() && (!target.profiles.empty() || !cpu.estimates.kinds.empty());
  costs.cpu.kind = cpu.kind;
  costs.cpu.configuration = cpu.instruction_set;
  costs.cpu.num_threads = static_cast<int>(cpu.threads);
  costs.cpu.is_host = true;
  costs.estimates = cpu.estimates;
  NESTRT_ASSIGN_OR_RETURN(costs.profile, tools::read_profiles(target.profiles, target.units));
  for (const UnitDescription& unit : target.units)
    if (costs.knows_cpu || (!unit.is_host && states_any(unit.overhead)))
      costs.overheads.push_back(overhead_of(unit, unit.is_host ? cpu.instruction_set : unit.configuration));
  if (costs.overheads.empty()) return std::optional<BoardCosts>();
  return std::optional<BoardCosts>(std::move(costs));
}

void state_costs(const BoardCosts& costs, const Plan& plan, plan::Tables& tables) {
  tables.overheads = costs.overheads;
  if (!costs.knows_cpu) return;
  std::vector<int> threads = {1};
  if (costs.cpu.num_threads > 1) threads.push_back(costs.cpu.num_threads);
  for (const int number : threads) {
    UnitInfo cpu = costs.cpu;
    cpu.num_threads = number;
    CostTable known = costs.profile;
    if (!costs.estimates.kinds.empty()) add_estimates(plan, std::span(&cpu, 1), known, costs.estimates);
    tables.host_costs.push_back(costs_of(plan, cpu, known));
  }
}

}  // namespace nestrt::compiler
