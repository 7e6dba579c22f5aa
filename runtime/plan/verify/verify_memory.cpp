// SPDX-License-Identifier: Apache-2.0
// Memory plans: every arena buffer is within the arena, is alive while operators access it, and shares no byte with
// another buffer that is alive at the same time.
#include <fmt/core.h>

#include <algorithm>
#include <limits>
#include <map>
#include <queue>

#include "runtime/plan/format/format.h"
#include "runtime/plan/verify/verify_parts.h"

namespace nestrt::plan_verify {
namespace {

using Buffers = std::vector<plan::Buffer>;

// The first and the last operator that accesses each buffer.
struct Uses {
  std::vector<uint32_t> first;
  std::vector<uint32_t> last;

  explicit Uses(const plan::Tables& plan)
      : first(plan.buffers.size(), std::numeric_limits<uint32_t>::max()), last(first.size(), 0) {
    const auto& operators = plan.operators;
    for (uint32_t index = 0; index < operators.size(); ++index) {
      for (const auto* operands : {&operators[index].inputs, &operators[index].outputs})
        for (int32_t tensor : *operands)
          if (tensor >= 0) touch(plan.tensors[static_cast<uint32_t>(tensor)].buffer, index);
    }
  }

  void touch(uint32_t buffer, uint32_t index) {
    first[buffer] = std::min(first[buffer], index);
    last[buffer] = std::max(last[buffer], index);
  }
};

Status verify_lifetimes(const plan::Tables& plan) {
  const Uses uses(plan);
  const auto& buffers = plan.buffers;
  for (uint32_t index = 0; index < buffers.size(); ++index) {
    const plan::Buffer& buffer = buffers[index];
    if (buffer.kind != plan::BufferKind::kArena) continue;
    const bool covered = buffer.first_use <= uses.first[index] && buffer.last_use >= uses.last[index];
    if (!covered || buffer.first_use > buffer.last_use || buffer.last_use >= plan.operators.size())
      return damaged_plan(
          fmt::format("buffer {}: its lifetime from operator {} to {} does not cover its use from {} to {}", index,
                      buffer.first_use, buffer.last_use, uses.first[index], uses.last[index]));
  }
  return {};
}

Status verify_places(const Buffers& buffers, const plan::MemoryPlan& memory, uint32_t memory_index) {
  const auto& offsets = memory.offsets;
  for (uint32_t index = 0; index < buffers.size(); ++index) {
    if (buffers[index].kind != plan::BufferKind::kArena) continue;
    const uint64_t offset = offsets[index], size = buffers[index].size;
    if (offset % plan_format::kSegmentAlignment != 0)
      return damaged_plan(fmt::format("memory plan {}: offset {} of buffer {} is not a multiple of {}", memory_index,
                                      offset, index, plan_format::kSegmentAlignment));
    if (offset > memory.arena_bytes || size > memory.arena_bytes - offset)
      return damaged_plan(fmt::format("memory plan {}: buffer {} of {} bytes at {} ends outside the arena of {} bytes",
                                      memory_index, index, size, offset, memory.arena_bytes));
  }
  return {};
}

// Sweeps over the operators in file order and keeps the live buffers sorted by offset. The file order is one of the
// orders that an any_schedule plan must support, so a conflict here is an error for both kinds. verify_any_schedule()
// checks the other orders.
class Sweep {
 public:
  Sweep(const Buffers& buffers, const plan::MemoryPlan& memory) : buffers_(buffers), offsets_(memory.offsets) {
    for (uint32_t index = 0; index < buffers.size(); ++index)
      if (buffers[index].kind == plan::BufferKind::kArena && buffers[index].size > 0) order_.push_back(index);
    std::sort(order_.begin(), order_.end(),
              [&](uint32_t a, uint32_t b) { return buffers[a].first_use < buffers[b].first_use; });
  }

  Status run(uint32_t memory_index) {
    for (uint32_t index : order_) {
      expire(buffers_[index].first_use);
      const auto [place, is_new] = alive_.try_emplace(offsets_[index], index);
      uint32_t other = place->second;
      if (is_new && !clashes(place, &other)) {
        expiry_.push({buffers_[index].last_use, offsets_[index]});
        continue;
      }
      return damaged_plan(fmt::format("memory plan {}: buffers {} and {} share bytes while both are in use",
                                      memory_index, other, index));
    }
    return {};
  }

 private:
  using Alive = std::map<uint64_t, uint32_t>;    // offset -> buffer
  using Expiry = std::pair<uint32_t, uint64_t>;  // last use, offset

  void expire(uint32_t now) {
    for (; !expiry_.empty() && expiry_.top().first < now; expiry_.pop()) alive_.erase(expiry_.top().second);
  }

  // Checking neighbours is sufficient, because live buffers do not overlap.
  bool clashes(Alive::iterator place, uint32_t* other) const {
    if (const auto next = std::next(place); next != alive_.end() && place->first + bytes(place) > next->first) {
      *other = next->second;
      return true;
    }
    if (place == alive_.begin()) return false;
    const auto previous = std::prev(place);
    *other = previous->second;
    return previous->first + bytes(previous) > place->first;
  }

  uint64_t bytes(Alive::const_iterator place) const { return buffers_[place->second].size; }

  const Buffers& buffers_;
  const std::vector<uint64_t>& offsets_;
  std::vector<uint32_t> order_;
  Alive alive_;
  std::priority_queue<Expiry, std::vector<Expiry>, std::greater<>> expiry_;
};

}  // namespace

Status verify_memory(Context& context) {
  const auto& buffers = context.plan.buffers;
  const auto& memory_plans = context.plan.memory_plans;
  if (memory_plans.empty()) return damaged_plan("the plan has no memory plan");
  NESTRT_RETURN_IF_ERROR(verify_lifetimes(context.plan));
  for (uint32_t index = 0; index < memory_plans.size(); ++index) {
    const plan::MemoryPlan& memory = memory_plans[index];
    if (static_cast<uint32_t>(memory.kind) != index)
      return damaged_plan(fmt::format("memory plan {}: kind {} is out of order", index, static_cast<int>(memory.kind)));
    if (memory.offsets.size() != buffers.size())
      return damaged_plan(
          fmt::format("memory plan {}: has {} offsets for {} buffers", index, memory.offsets.size(), buffers.size()));
    NESTRT_RETURN_IF_ERROR(verify_places(buffers, memory, index));
    NESTRT_RETURN_IF_ERROR(Sweep(buffers, memory).run(index));
  }
  return {};
}

}  // namespace nestrt::plan_verify
