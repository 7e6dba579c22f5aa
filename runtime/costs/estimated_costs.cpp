#include "runtime/costs/estimated_costs.h"

#include <algorithm>

#include "runtime/costs/operator_cost.h"
#include "runtime/costs/unit_key.h"
#include "runtime/plan/program_for.h"
#include "runtime/plan/statistics.h"

namespace nestrt {
namespace {

// Of one core, in a microsecond: about half of the four multiplications a cycle that a Cortex-A53 at 1.2 GHz has, and
// what one core of a ZCU102 reads or writes. Beginning an operator takes a microsecond or two.
constexpr double kMacs = 2500, kBytes = 2000, kBegin = 1.5;
// Cores share the memory.
constexpr double kCoresOfMemory = 2;

double estimate_us(const plan::Tables& tables, const plan::Operator& op, int threads) {
  const OperatorStatistics work = statistics(tables, op);
  const auto bytes = static_cast<double>(work.input_bytes + work.weight_bytes + work.output_bytes);
  const double compute_us = static_cast<double>(work.macs) / (kMacs * threads);
  return kBegin + std::max(compute_us, bytes / (kBytes * std::min<double>(threads, kCoresOfMemory)));
}

double estimate_us(const plan::Tables& tables, uint32_t branch, int threads) {
  double us = 0;
  for (const uint32_t op : tables.branches[branch].operators) us += estimate_us(tables, tables.operators[op], threads);
  return us;
}

void add_host(const Plan& plan, const UnitInfo& host, CostTable& costs) {
  const plan::Tables& tables = plan.tables();
  for (uint32_t op = 0; op < tables.operators.size(); ++op) {
    if (operator_cost(costs, plan, op, key_of(host), {})) continue;
    const double us = estimate_us(tables, tables.operators[op], host.num_threads);
    costs.set(key_of(host), work_name(plan, op), {us, CostSource::kModelled});
  }
}

void add_other(const Plan& plan, const UnitInfo& unit, int host_threads, CostTable& costs) {
  const plan::Tables& tables = plan.tables();
  for_each_program_for(tables, unit, [&](uint32_t branch, uint32_t index, const plan::Program& program) {
    if (branch_cost(costs, plan, branch, index, key_of(unit))) return;
    const WorkCost cost{estimate_us(tables, branch, host_threads), CostSource::kModelled};
    if (program.kind == plan::ProgramKind::kKernels)
      for (const uint32_t op : tables.branches[branch].operators) costs.set(key_of(unit), work_name(plan, op), cost);
    else
      costs.set(key_of(unit), program_work_name(plan, branch, index), cost);
  });
}

}  // namespace

void add_estimates(const Plan& plan, std::span<const UnitInfo> units, CostTable& costs) {
  int host_threads = 1;
  for (const UnitInfo& unit : units)
    if (unit.is_host) host_threads = unit.num_threads;
  for (const UnitInfo& unit : units)
    unit.is_host ? add_host(plan, unit, costs) : add_other(plan, unit, host_threads, costs);
}

}  // namespace nestrt
