// SPDX-License-Identifier: Apache-2.0
// Writes: at most one operator computes each byte of a buffer. Tensors that share bytes are therefore views of that
// operator's result, and the order of operators does not change the values that are read.
#include <fmt/core.h>

#include <algorithm>

#include "runtime/plan/verify/verify_parts.h"

namespace nestrt::plan_verify {

Status verify_writes(Context& context) {
  std::vector<Write>& writes = context.writes;
  std::sort(writes.begin(), writes.end(), [](const Write& a, const Write& b) { return a.bytes < b.bytes; });
  // Checking neighbours is sufficient, because all earlier ones are disjoint.
  const auto twice = std::adjacent_find(writes.begin(), writes.end(),
                                        [](const Write& a, const Write& b) { return a.bytes.overlaps(b.bytes); });
  if (twice == writes.end()) return {};
  const auto [first, second] = std::minmax(twice[0].operator_index, twice[1].operator_index);
  return damaged_plan(fmt::format("{} and {} compute the same bytes of buffer {}", operator_name(context.plan, first),
                                  operator_name(context.plan, second), twice->bytes.buffer));
}

}  // namespace nestrt::plan_verify
