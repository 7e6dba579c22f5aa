// Memory of branches that more than the host can run: what such a branch computes lies nowhere where it reads what
// others have computed. A unit may write before it has read everything, and the host computes the branch again where
// the unit fails.
#include <fmt/core.h>

#include <algorithm>
#include <vector>

#include "runtime/plan/verify_parts.h"

namespace nestrt::plan_verify {
namespace {

// Bytes of the arena.
struct Placed {
  uint64_t begin = 0;
  uint64_t end = 0;
  uint32_t buffer = 0;
};

// What the branch reads and does not compute, of the arena and of others.
Extents read_by(const Context& context, uint32_t branch) {
  Extents all;
  for (const uint32_t op : context.plan.branches[branch].operators)
    for (const int32_t input : context.plan.operators[op].inputs)
      if (input >= 0) all.push_back(context.extents[static_cast<uint32_t>(input)]);
  return difference(make_set(std::move(all)), context.computed[branch]);
}

std::vector<Placed> place(const Context& context, const plan::MemoryPlan& memory, const Extents& extents) {
  std::vector<Placed> placed;
  for (const Extent& extent : extents) {
    if (context.plan.buffers[extent.buffer].kind != plan::BufferKind::kArena) continue;
    const uint64_t offset = memory.offsets[extent.buffer];
    placed.push_back({offset + extent.begin, offset + extent.end, extent.buffer});
  }
  std::ranges::sort(placed, {}, &Placed::begin);
  return placed;
}

Status check_apart(const std::vector<Placed>& read, const std::vector<Placed>& computed, uint32_t branch) {
  // Operands may overlap one another where their lives do not, so the furthest end so far counts.
  uint64_t end = 0;
  uint32_t furthest = 0;
  auto next = read.begin();
  for (const Placed& result : computed) {
    for (; next != read.end() && next->begin < result.end; ++next) {
      if (next->end <= end) continue;
      end = next->end;
      furthest = next->buffer;
    }
    if (result.begin < end)
      return damaged_plan(
          fmt::format("branch {}: has programs for several units, and computes in buffer {} where it "
                      "reads buffer {}",
                      branch, result.buffer, furthest));
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
