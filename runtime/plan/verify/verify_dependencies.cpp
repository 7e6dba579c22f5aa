// SPDX-License-Identifier: Apache-2.0
// Dependencies: limits the number of dependent pairs of branches. With views of views of many tensors, the graph of
// branches could grow quadratically with the size of the tables (runtime/plan/queries/dependencies.h).
#include <fmt/core.h>

#include <algorithm>

#include "runtime/plan/format/format.h"
#include "runtime/plan/verify/verify_parts.h"

namespace nestrt::plan_verify {

Status verify_dependencies(Context& context) {
  const plan::Tables& plan = context.plan;
  // per tensor: upper bound for the number of branches that compute it
  std::vector<uint64_t> origins(plan.tensors.size(), 0);
  uint64_t pairs = 0;
  for (uint32_t index = 0; index < plan.operators.size(); ++index) {
    const plan::Operator& op = plan.operators[index];
    uint64_t read = 0;
    for (const int32_t input : op.inputs)
      if (input >= 0) read = std::min(read + origins[static_cast<uint32_t>(input)], plan_format::kMaxDependencies + 1);
    for (const int32_t output : op.outputs) origins[static_cast<uint32_t>(output)] = context.views[index] ? read : 1;
    pairs += read;
    if (pairs > plan_format::kMaxDependencies)
      return damaged_plan(fmt::format("{}: the operators up to this one have more than {} dependencies",
                                      operator_name(plan, index), plan_format::kMaxDependencies));
  }
  return {};
}

}  // namespace nestrt::plan_verify
