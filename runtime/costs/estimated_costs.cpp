// SPDX-License-Identifier: Apache-2.0
#include "runtime/costs/estimated_costs.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "runtime/costs/operator_cost.h"
#include "runtime/costs/stated_cost.h"
#include "runtime/costs/unit_key.h"
#include "runtime/kernel/packing.h"
#include "runtime/plan/queries/channels.h"
#include "runtime/plan/queries/kernel_selection.h"
#include "runtime/plan/queries/program_for.h"
#include "runtime/plan/queries/statistics.h"

namespace nestrt {
namespace {

constexpr int64_t kMaxStemChannels = 4;

// The plan and the instruction set whose kernels do the work.
struct HostWork {
  const plan::Tables& tables;
  std::string_view instruction_set;
};

// The kind of an operator's work (HostRates), and its amount.
struct Amount {
  std::string kind;
  double work = 0, results = 0;
  double weight_bytes = 0;
};

std::string_view winograd_of(Packing packing) {
  if (packing == Packing::kWinograd16Two) return "winograd_two";
  return packing == Packing::kWinograd16Strided ? "winograd_strided" : "winograd";
}

std::string_view sort_of(const ops::Conv& conv, const Shape& weights, Packing packing) {
  if (row_of(packing).form == PackedForm::kWinograd) return winograd_of(packing);
  if (conv.group > 1 && weights[1] == 1) return "depthwise";
  if (weights[1] <= kMaxStemChannels) return "stem";
  return weights.product(2, weights.rank()) == 1 ? "pointwise" : "spatial";
}

double bytes_of(Packing packing, const plan::Tensor& weights) {
  const int64_t plain = weights.shape.num_elements() * static_cast<int64_t>(size_bytes(weights.type));
  return static_cast<double>(packed_size_bytes(packing, weights.shape).value_or(plain));
}

void add_conv(const HostWork& host, uint32_t index, Amount& amount, std::string_view type) {
  const plan::Operator& op = host.tables.operators[index];
  const plan::Tensor& tensor = host.tables.tensors[static_cast<size_t>(op.inputs[1])];
  const Shape& weights = tensor.shape;
  const Packing packing = packing_for(host.tables, index, 1, host.instruction_set);
  amount.kind = fmt::format("{} {}", type, sort_of(std::get<ops::Conv>(op.attributes), weights, packing));
  const int64_t blocks = (weights[0] + kChannelBlock - 1) / kChannelBlock;
  amount.results *= static_cast<double>(blocks * kChannelBlock) / static_cast<double>(weights[0]);
  // Constants whose packing equals the plan's are already counted.
  if (packing != tensor.packing) amount.weight_bytes += bytes_of(packing, tensor) - bytes_of(tensor.packing, tensor);
}

Amount amount_of(const HostWork& host, uint32_t index, const OperatorStatistics& statistics) {
  const plan::Tables& tables = host.tables;
  const plan::Operator& op = tables.operators[index];
  Amount amount{std::string(ops::name(op.kind())), static_cast<double>(statistics.macs), 0,
                static_cast<double>(statistics.weight_bytes)};
  for (const int32_t output : op.outputs)
    amount.results += static_cast<double>(tables.tensors[static_cast<size_t>(output)].shape.num_elements());
  if (op.inputs.empty() || op.inputs[0] < 0) return amount;
  const std::string_view type = name(tables.tensors[static_cast<size_t>(op.inputs[0])].type);
  if (op.kind() == ops::Kind::kConv) {
    add_conv(host, index, amount, type);
  } else if (const auto* const pool = std::get_if<ops::Pool>(&op.attributes)) {
    amount.kind = fmt::format("{} Pool", type);
    amount.work = amount.results;
    for (const int32_t size : pool->kernel) amount.work *= size;
  } else if (statistics.macs > 0) {
    amount.kind = fmt::format("{} {}", type, ops::name(ops::Kind::kDense));
  }
  return amount;
}

// Returns the rates of a kind, or of the most similar one.
const WorkRates& rates_of(const HostRates& rates, std::string_view kind) {
  auto found = rates.kinds.find(kind);
  const size_t space = kind.find(' ');
  if (found == rates.kinds.end() && space != std::string_view::npos && kind.substr(space + 1).starts_with("winograd"))
    found = rates.kinds.find(fmt::format("{} spatial", kind.substr(0, space)));
  return found != rates.kinds.end() ? found->second : rates.kinds.at(HostRates::kOther);
}

// Kinds of work whose names are prefixed with the operand type.
constexpr std::array kTypedKinds = {"pointwise", "spatial",      "depthwise",       "stem", "Dense", "Pool",
                                    "winograd",  "winograd_two", "winograd_strided"};

double us_of(double amount, double per_us) { return per_us > 0 ? amount / per_us : 0; }

double estimate_us(const HostWork& host, uint32_t op, int threads, const HostRates& rates) {
  const OperatorStatistics work = statistics(host.tables, host.tables.operators[op]);
  const Amount amount = amount_of(host, op, work);
  const WorkRates& kind = rates_of(rates, amount.kind);
  const double cores_us = (us_of(amount.work, kind.work_per_us) + us_of(amount.results, kind.results_per_us)) / threads;
  const double all_bytes = static_cast<double>(work.bytes() - work.weight_bytes) + amount.weight_bytes;
  const double moved = all_bytes > rates.cache_bytes ? all_bytes : amount.weight_bytes;
  return kind.begin_us + (threads > 1 ? rates.fork_us : 0) +
         std::max(cores_us, us_of(moved, rates.memory_bytes_per_us));
}

double estimate_branch_us(const HostWork& host, uint32_t branch, int threads, const HostRates& rates) {
  double us = 0;
  for (const uint32_t op : host.tables.branches[branch].operators) us += estimate_us(host, op, threads, rates);
  return us;
}

void add_host(const Plan& plan, const UnitInfo& host, const HostRates& rates, CostTable& costs) {
  const plan::Tables& tables = plan.tables();
  for (uint32_t op = 0; op < tables.operators.size(); ++op) {
    if (operator_cost(costs, plan, op, key_of(host), {})) continue;
    const double us = estimate_us({tables, host.configuration}, op, host.num_threads, rates);
    costs.set(key_of(host), work_name(plan, op, key_of(host)), {us, CostSource::kModelled});
  }
}

void add_other(const Plan& plan, const UnitInfo& unit, const UnitInfo& host, const HostRates& rates, CostTable& costs) {
  const plan::Tables& tables = plan.tables();
  for_each_program_for(tables, unit, [&](uint32_t branch, uint32_t index, const plan::Program& program) {
    if (branch_cost(costs, plan, branch, index, key_of(unit))) return;
    const plan::Cost* const guess = guessed_cost(program);
    const WorkCost cost =
        guess != nullptr ? WorkCost{guess->microseconds, CostSource::kUnknown}
                         : WorkCost{estimate_branch_us({tables, host.configuration}, branch, host.num_threads, rates),
                                    CostSource::kModelled};
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
  if (std::ranges::find(kTypedKinds, kind.substr(std::min(space + 1, kind.size()))) == kTypedKinds.end()) return false;
  return kind.starts_with("f32 ") || kind.starts_with("s8 ") || kind.starts_with("u8 ");
}

HostRates rates_of_any_host() {
  return {.kinds = {{HostRates::kOther, {.begin_us = 1.5, .work_per_us = 2500, .results_per_us = 500}}},
          .memory_bytes_per_us = 4000};
}

void add_estimates(const Plan& plan, std::span<const UnitInfo> units, CostTable& costs, const HostRates& rates) {
  UnitInfo host;
  host.num_threads = 1;
  for (const UnitInfo& unit : units)
    if (unit.is_host) host = unit;
  for (const UnitInfo& unit : units)
    unit.is_host ? add_host(plan, unit, rates, costs) : add_other(plan, unit, host, rates, costs);
}

}  // namespace nestrt
