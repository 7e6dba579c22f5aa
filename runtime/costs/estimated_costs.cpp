#include "runtime/costs/estimated_costs.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "runtime/costs/operator_cost.h"
#include "runtime/costs/stated_cost.h"
#include "runtime/costs/unit_key.h"
#include "runtime/plan/channels.h"
#include "runtime/plan/program_for.h"
#include "runtime/plan/statistics.h"

namespace nestrt {
namespace {

constexpr int64_t kMostStemChannels = 4;

// Of what kind an operator is (HostRates), and how much of it there is.
struct Amount {
  std::string kind;
  double work = 0, results = 0;
};

std::string_view sort_of(const ops::Conv& conv, const Shape& weights) {
  if (conv.group > 1 && weights[1] == 1) return "depthwise";
  if (weights[1] <= kMostStemChannels) return "stem";
  return weights.product(2, weights.rank()) == 1 ? "pointwise" : "spatial";
}

Amount amount_of(const plan::Tables& tables, const plan::Operator& op, const OperatorStatistics& statistics) {
  Amount amount{std::string(ops::name(op.kind())), static_cast<double>(statistics.macs), 0};
  for (const int32_t index : op.outputs)
    amount.results += static_cast<double>(tables.tensors[static_cast<size_t>(index)].shape.num_elements());
  if (op.inputs.empty() || op.inputs[0] < 0) return amount;
  const std::string_view type = name(tables.tensors[static_cast<size_t>(op.inputs[0])].type);
  if (const auto* const conv = std::get_if<ops::Conv>(&op.attributes)) {
    const Shape& weights = tables.tensors[static_cast<size_t>(op.inputs[1])].shape;
    amount.kind = fmt::format("{} {}", type, sort_of(*conv, weights));
    const int64_t blocks = (weights[0] + kChannelBlock - 1) / kChannelBlock;
    amount.results *= static_cast<double>(blocks * kChannelBlock) / static_cast<double>(weights[0]);
  } else if (const auto* const pool = std::get_if<ops::Pool>(&op.attributes)) {
    amount.kind = fmt::format("{} Pool", type);
    amount.work = amount.results;
    for (const int32_t size : pool->kernel) amount.work *= size;
  } else if (statistics.macs > 0) {
    amount.kind = fmt::format("{} {}", type, ops::name(ops::Kind::kDense));
  }
  return amount;
}

// By the type of what they read.
constexpr std::array kSorts = {"pointwise", "spatial", "depthwise", "stem", "Dense", "Pool"};

double us_of(double amount, double per_us) { return per_us > 0 ? amount / per_us : 0; }

double estimate_us(const plan::Tables& tables, const plan::Operator& op, int threads, const HostRates& rates) {
  const OperatorStatistics work = statistics(tables, op);
  const Amount amount = amount_of(tables, op, work);
  const auto found = rates.kinds.find(amount.kind);
  const WorkRates& kind = found != rates.kinds.end() ? found->second : rates.kinds.at(HostRates::kOther);
  const double cores_us = (us_of(amount.work, kind.work_per_us) + us_of(amount.results, kind.results_per_us)) / threads;
  const auto all_bytes = static_cast<double>(work.bytes());
  const double moved = all_bytes > rates.cache_bytes ? all_bytes : static_cast<double>(work.weight_bytes);
  return kind.begin_us + (threads > 1 ? rates.fork_us : 0) +
         std::max(cores_us, us_of(moved, rates.memory_bytes_per_us));
}

double estimate_us(const plan::Tables& tables, uint32_t branch, int threads, const HostRates& rates) {
  double us = 0;
  for (const uint32_t op : tables.branches[branch].operators)
    us += estimate_us(tables, tables.operators[op], threads, rates);
  return us;
}

void add_host(const Plan& plan, const UnitInfo& host, const HostRates& rates, CostTable& costs) {
  const plan::Tables& tables = plan.tables();
  for (uint32_t op = 0; op < tables.operators.size(); ++op) {
    if (operator_cost(costs, plan, op, key_of(host), {})) continue;
    const double us = estimate_us(tables, tables.operators[op], host.num_threads, rates);
    costs.set(key_of(host), work_name(plan, op, key_of(host)), {us, CostSource::kModelled});
  }
}

void add_other(const Plan& plan, const UnitInfo& unit, int host_threads, const HostRates& rates, CostTable& costs) {
  const plan::Tables& tables = plan.tables();
  for_each_program_for(tables, unit, [&](uint32_t branch, uint32_t index, const plan::Program& program) {
    if (branch_cost(costs, plan, branch, index, key_of(unit))) return;
    const plan::Cost* const guess = guessed_cost(program);
    const WorkCost cost = guess != nullptr
                              ? WorkCost{guess->microseconds, CostSource::kUnknown}
                              : WorkCost{estimate_us(tables, branch, host_threads, rates), CostSource::kModelled};
    if (program.kind == plan::ProgramKind::kKernels)
      for (const uint32_t op : tables.branches[branch].operators)
        costs.set(key_of(unit), work_name(plan, op, key_of(unit)), cost);
    else
      costs.set(key_of(unit), program_work_name(plan, branch, index), cost);
  });
}

}  // namespace

bool is_kind_of_work(std::string_view kind) {
  if (kind == HostRates::kOther) return true;
  for (size_t op = 1; op < ops::kNumKinds; ++op)
    if (kind == ops::name(static_cast<ops::Kind>(op))) return true;
  const size_t space = std::min(kind.find(' '), kind.size());
  if (std::ranges::find(kSorts, kind.substr(std::min(space + 1, kind.size()))) == kSorts.end()) return false;
  return kind.starts_with("f32 ") || kind.starts_with("s8 ") || kind.starts_with("u8 ");
}

HostRates rates_of_any_host() {
  return {.kinds = {{HostRates::kOther, {.begin_us = 1.5, .work_per_us = 2500, .results_per_us = 500}}},
          .memory_bytes_per_us = 4000};
}

void add_estimates(const Plan& plan, std::span<const UnitInfo> units, CostTable& costs, const HostRates& rates) {
  int host_threads = 1;
  for (const UnitInfo& unit : units)
    if (unit.is_host) host_threads = unit.num_threads;
  for (const UnitInfo& unit : units)
    unit.is_host ? add_host(plan, unit, rates, costs) : add_other(plan, unit, host_threads, rates, costs);
}

}  // namespace nestrt
