// SPDX-License-Identifier: Apache-2.0
// Memory plans for any schedule: two buffers may share bytes only if every operator that accesses one is an ancestor of
// every operator that writes the other.
#include <fmt/core.h>

#include <algorithm>

#include "runtime/plan/format/format.h"
#include "runtime/plan/queries/dependencies.h"
#include "runtime/plan/verify/verify_parts.h"

namespace nestrt {
namespace {

using plan_format::kMaxOrderedBuffers;
using plan_format::kMaxOrderedOperators;

constexpr uint32_t kInvalidIndex = UINT32_MAX;

// Returns the non-empty arena buffers, ordered by their offset in the given memory plan.
std::vector<uint32_t> placed_buffers(const plan::Tables& plan, const plan::MemoryPlan& memory) {
  const auto& buffers = plan.buffers;
  std::vector<uint32_t> placed;
  for (uint32_t index = 0; index < buffers.size(); ++index)
    if (buffers[index].kind == plan::BufferKind::kArena && buffers[index].size > 0) placed.push_back(index);
  const auto& offsets = memory.offsets;
  std::sort(placed.begin(), placed.end(), [&](uint32_t a, uint32_t b) { return offsets[a] < offsets[b]; });
  return placed;
}

class Separation {
 public:
  Separation(const plan::Tables& plan, const std::vector<uint32_t>& placed)
      : users_(placed.size(), plan.operators.size()), before_all_writers_(placed.size(), plan.operators.size(), true) {
    std::vector<uint32_t> position(plan.buffers.size(), kInvalidIndex);
    for (uint32_t i = 0; i < placed.size(); ++i) position[placed[i]] = i;
    const BitRows ancestors = ancestors_of(operator_predecessors(plan));
    const auto& operators = plan.operators;
    const auto position_of = [&](int32_t tensor) {
      return tensor < 0 ? kInvalidIndex : position[plan.tensors[static_cast<uint32_t>(tensor)].buffer];
    };
    for (uint32_t index = 0; index < operators.size(); ++index) {
      for (int32_t tensor : operators[index].inputs)
        if (const uint32_t at = position_of(tensor); at != kInvalidIndex) users_.add(at, index);
      for (int32_t tensor : operators[index].outputs) {
        const uint32_t at = position_of(tensor);
        if (at == kInvalidIndex) continue;
        users_.add(at, index);
        before_all_writers_.intersect(at, ancestors.row(index));
      }
    }
  }

  bool separates(uint32_t a, uint32_t b) const {
    return is_subset(users_.row(a), before_all_writers_.row(b)) || is_subset(users_.row(b), before_all_writers_.row(a));
  }

 private:
  BitRows users_;               // per position in `placed`: all operators that access the buffer
  BitRows before_all_writers_;  // per position in `placed`: the operators that precede every writer of the buffer
};

// Calls check(i, j) for positions of buffers that share bytes, until a check fails.
template <typename Check>
Status for_each_overlap(const plan::Tables& plan, const plan::MemoryPlan& memory, const std::vector<uint32_t>& placed,
                        Check check) {
  const auto& offsets = memory.offsets;
  for (uint32_t i = 0; i < placed.size(); ++i) {
    const uint64_t end = offsets[placed[i]] + plan.buffers[placed[i]].size;
    for (uint32_t j = i + 1; j < placed.size() && offsets[placed[j]] < end; ++j) NESTRT_RETURN_IF_ERROR(check(i, j));
  }
  return {};
}

}  // namespace

Status verify_any_schedule(const plan::Tables& plan) {
  const auto kind = static_cast<uint32_t>(plan::MemoryPlanKind::kAnySchedule);
  if (plan.memory_plans.size() <= kind) return {};
  const plan::MemoryPlan& memory = plan.memory_plans[kind];
  const std::vector<uint32_t> placed = placed_buffers(plan, memory);
  const auto fail = [&](uint32_t i, uint32_t j, std::string_view why) {
    return damaged_plan(fmt::format("memory plan {}: buffers {} and {} share bytes, {}", kind,
                                    std::min(placed[i], placed[j]), std::max(placed[i], placed[j]), why));
  };
  if (plan.operators.size() > kMaxOrderedOperators || placed.size() > kMaxOrderedBuffers) {
    return for_each_overlap(plan, memory, placed, [&](uint32_t i, uint32_t j) {
      return fail(i, j,
                  fmt::format("in a plan with more than {} operators or {} arena buffers", kMaxOrderedOperators,
                              kMaxOrderedBuffers));
    });
  }
  const Separation separation(plan, placed);
  return for_each_overlap(plan, memory, placed, [&](uint32_t i, uint32_t j) {
    return separation.separates(i, j) ? Status() : fail(i, j, "but the graph does not order their uses");
  });
}

}  // namespace nestrt
