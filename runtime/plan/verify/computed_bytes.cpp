// SPDX-License-Identifier: Apache-2.0
#include "runtime/plan/verify/computed_bytes.h"

#include <algorithm>
#include <utility>

namespace nestrt {

Result<std::vector<plan_verify::Extents>> computed_bytes(const plan::Tables& plan) {
  plan_verify::Context context{plan, {}};
  NESTRT_RETURN_IF_ERROR(verify_tensors(context));
  for (uint32_t op = 0; op < plan.operators.size(); ++op) NESTRT_RETURN_IF_ERROR(verify_aliasing(context, op));
  std::vector<plan_verify::Extents> computed;
  for (const plan::Branch& branch : plan.branches)
    computed.push_back(plan_verify::computed_bytes(branch, context.writes));
  return computed;
}

namespace plan_verify {

Extents computed_bytes(const plan::Branch& branch, std::span<const Write> writes) {
  const auto before = [](const Write& write, uint32_t op) { return write.operator_index < op; };
  const auto begin = std::lower_bound(writes.begin(), writes.end(), branch.operators.front(), before);
  const auto end = std::lower_bound(begin, writes.end(), branch.operators.back() + 1, before);
  Extents bytes;
  for (auto write = begin; write != end; ++write) bytes.push_back(write->bytes);
  return make_set(std::move(bytes));
}

}  // namespace plan_verify
}  // namespace nestrt
