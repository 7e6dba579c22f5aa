// SPDX-License-Identifier: Apache-2.0
// Costs that a plan contains for the board's units, other than those of programs: costs of the host, overheads.
#include <fmt/core.h>

#include <algorithm>
#include <string_view>
#include <tuple>
#include <vector>

#include "runtime/plan/format/format.h"
#include "runtime/plan/verify/verify_parts.h"

namespace nestrt::plan_verify {
namespace {

using Key = std::tuple<std::string_view, std::string_view, uint32_t>;  // unit, configuration, threads

// Also rejects NaN.
bool is_value(float value) { return value >= 0 && value <= plan_format::kMaxCost; }

// Checks that each entry is for a different unit.
Status verify_keys(std::string_view what, std::vector<Key> keys) {
  using plan_format::kMaxCostThreads, plan_format::kMaxHostCosts, plan_format::kMaxTargetBytes;
  if (keys.size() > kMaxHostCosts)
    return damaged_plan(fmt::format("the plan has {} {}, more than {}", keys.size(), what, kMaxHostCosts));
  for (const auto& [unit, configuration, threads] : keys)
    if (std::max(unit.size(), configuration.size()) > kMaxTargetBytes || threads < 1 || threads > kMaxCostThreads)
      return damaged_plan(
          fmt::format("{}: invalid entry; expected a unit and a configuration of at most {} bytes, and 1 to {} threads",
                      what, kMaxTargetBytes, kMaxCostThreads));
  std::ranges::sort(keys);
  if (std::ranges::adjacent_find(keys) != keys.end())
    return damaged_plan(fmt::format("{}: two entries have the same unit, configuration and number of threads", what));
  return {};
}

}  // namespace

Status verify_stated_costs(Context& context) {
  const plan::Tables& plan = context.plan;
  std::vector<Key> hosts, units;
  for (const plan::HostCosts& costs : plan.host_costs) {
    hosts.emplace_back("", costs.configuration, costs.threads);
    if (costs.microseconds.size() != plan.operators.size() || !std::ranges::all_of(costs.microseconds, is_value))
      return damaged_plan(
          fmt::format("costs of the host: expected a valid time for each of {} operators", plan.operators.size()));
  }
  for (const plan::Overhead& overhead : plan.overheads) {
    units.emplace_back(overhead.unit, overhead.configuration, overhead.threads);
    if (!std::ranges::all_of(std::vector{overhead.start_us, overhead.finish_us, overhead.mb_per_s, overhead.lane_us},
                             is_value))
      return damaged_plan("overheads: expected four non-negative numbers");
  }
  NESTRT_RETURN_IF_ERROR(verify_keys("costs of the host", std::move(hosts)));
  return verify_keys("overheads", std::move(units));
}

}  // namespace nestrt::plan_verify
