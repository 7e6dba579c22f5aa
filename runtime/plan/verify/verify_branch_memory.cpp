// SPDX-License-Identifier: Apache-2.0
// Memory of branches that accelerators can run: the results must not overlap operands computed elsewhere. A unit may
// write before it has read everything, and the host recomputes the branch if the unit fails.
#include <fmt/core.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "runtime/plan/verify/verify_parts.h"

namespace nestrt::plan_verify {
namespace {

// Returns the bytes that the branch reads but does not compute, in the arena and elsewhere.
Extents read_by(const Context& context, uint32_t branch) {
  Extents all;
  for (const uint32_t op : context.plan.branches[branch].operators)
    for (const int32_t input : context.plan.operators[op].inputs)
      if (input >= 0) all.push_back(context.extents[static_cast<uint32_t>(input)]);
  return difference(make_set(std::move(all)), context.computed[branch]);
}

// Returns the arena bytes, as offsets from the start of the arena, sorted by begin.
std::vector<Extent> place(const Context& context, const plan::MemoryPlan& memory, const Extents& extents) {
  std::vector<Extent> placed;
  for (const Extent& extent : extents) {
    if (context.plan.buffers[extent.buffer].kind != plan::BufferKind::kArena) continue;
    const uint64_t offset = memory.offsets[extent.buffer];
    placed.push_back({extent.buffer, offset + extent.begin, offset + extent.end});
  }
  std::ranges::sort(placed, {}, &Extent::begin);
  return placed;
}

// Checks that no operand overlaps a result. Both lists are in the form returned by place(). Operands may overlap each
// other if their lifetimes do not, so the furthest end so far is compared.
Status check_apart(const std::vector<Extent>& read, const std::vector<Extent>& computed, uint32_t branch) {
  Extent furthest;
  auto next = read.begin();
  for (const Extent& result : computed) {
    for (; next != read.end() && next->begin < result.end; ++next)
      if (next->end > furthest.end) furthest = *next;
    if (result.begin < furthest.end)
      return damaged_plan(
          fmt::format("branch {}: has programs for several units and writes bytes of buffer {} that "
                      "overlap buffer {}, which it reads",
                      branch, result.buffer, furthest.buffer));
  }
  return {};
}

}  // namespace

Status verify_branch_memory(Context& context) {
  const plan::Tables& plan = context.plan;
  for (uint32_t branch = 0; branch < plan.branches.size(); ++branch) {
    if (plan.branches[branch].programs.size() < 2) continue;
    const Extents read = read_by(context, branch);
    for (const plan::MemoryPlan& memory : plan.memory_plans)
      NESTRT_RETURN_IF_ERROR(
          check_apart(place(context, memory, read), place(context, memory, context.computed[branch]), branch));
  }
  return {};
}

}  // namespace nestrt::plan_verify
