// SPDX-License-Identifier: Apache-2.0
#include "runtime/plan/queries/channel_order.h"

#include <algorithm>
#include <optional>

#include "nestrt/tensor.h"
#include "runtime/plan/queries/channels.h"
#include "runtime/plan/queries/dependencies.h"

namespace nestrt {
namespace {

class ChannelOrder {
 public:
  explicit ChannelOrder(const plan::Tables& plan) : plan_(plan), origins_(tensor_origins(plan)) {
    for (uint32_t branch = 0; branch < plan.branches.size(); ++branch) {
      channels_.push_back(divisible_channels(plan, plan.branches[branch]));
      has_partial_programs_.push_back(has_partial_programs(branch));
    }
  }

  std::vector<uint32_t> readers() const {
    std::vector<uint32_t> before(plan_.branches.size(), kNoBranch);
    for (uint32_t branch = 0; branch < before.size(); ++branch) {
      const uint32_t found = read_by_channel(branch);
      if (found != kNoBranch && before[found] == kNoBranch) before[branch] = found;
    }
    return before;
  }

 private:
  const plan::Operator& only_operator(uint32_t branch) const {
    return plan_.operators[plan_.branches[branch].operators[0]];
  }

  bool has_partial_programs(uint32_t branch) const {
    const auto& programs = plan_.branches[branch].programs;
    return std::any_of(programs.begin(), programs.end(),
                       [](const plan::Program& program) { return !program.channels.all(); });
  }

  // Returns the last candidate that qualifies.
  uint32_t read_by_channel(uint32_t branch) const {
    const uint32_t channels = channels_[branch];
    if (channels == 0) return kNoBranch;
    uint32_t found = kNoBranch;
    for (const int32_t tensor : only_operator(branch).inputs) {
      if (tensor < 0) continue;
      for (const TensorOrigin& origin : origins_[static_cast<uint32_t>(tensor)])
        if ((found == kNoBranch || origin.branch > found) && has_partial_programs_[origin.branch] &&
            channels_[origin.branch] == channels && only_operator(origin.branch).outputs[0] == tensor &&
            reads_only_channels(branch, origin.branch))
          found = origin.branch;
    }
    return found;
  }

  // Returns whether a branch reads the result of another only as a whole tensor that is split along the channels.
  bool reads_only_channels(uint32_t branch, uint32_t before) const {
    const plan::Operator& op = only_operator(branch);
    const int32_t result = only_operator(before).outputs[0];
    const auto& inputs = op.inputs;
    for (uint32_t i = 0; i < inputs.size(); ++i) {
      if (inputs[i] < 0) continue;
      const auto& origins = origins_[static_cast<uint32_t>(inputs[i])];
      const bool is_read = std::any_of(origins.begin(), origins.end(),
                                       [&](const TensorOrigin& origin) { return origin.branch == before; });
      if (is_read && (inputs[i] != result || channel_axis(op.attributes, i) != 1)) return false;
    }
    return true;
  }

  const plan::Tables& plan_;
  const std::vector<std::vector<TensorOrigin>> origins_;
  std::vector<uint32_t> channels_;          // per branch: the number of channels by which it can be split, or 0
  std::vector<bool> has_partial_programs_;  // per branch
};

// The location of a tensor: in the arena or in a separate buffer.
struct Bytes {
  bool in_arena = false;
  uint32_t buffer = 0;
  uint64_t begin = 0, end = 0;
};

Bytes bytes_of(const plan::Tables& plan, const plan::MemoryPlan& memory, int32_t index) {
  const plan::Tensor& tensor = plan.tensors[static_cast<uint32_t>(index)];
  const bool in_arena = plan.buffers[tensor.buffer].kind == plan::BufferKind::kArena;
  const uint64_t begin = tensor.offset + (in_arena ? memory.offsets[tensor.buffer] : 0);
  const int64_t size = storage_bytes(tensor.type, tensor.shape, tensor.layout);
  return {in_arena, tensor.buffer, begin, begin + static_cast<uint64_t>(std::max<int64_t>(size, 0))};
}

bool share_bytes(const Bytes& a, const Bytes& b) {
  const bool same_memory = a.in_arena ? b.in_arena : !b.in_arena && a.buffer == b.buffer;
  return same_memory && a.begin < b.end && b.begin < a.end;
}

// Returns whether the later branch may write before the earlier one is complete.
bool are_apart(const plan::Tables& plan, const plan::MemoryPlan& memory, uint32_t before, uint32_t branch) {
  const auto operator_of = [&](uint32_t index) -> const plan::Operator& {
    return plan.operators[plan.branches[index].operators[0]];
  };
  const Bytes written = bytes_of(plan, memory, operator_of(branch).outputs[0]);
  const auto is_apart = [&](int32_t tensor) {
    return tensor < 0 || !share_bytes(written, bytes_of(plan, memory, tensor));
  };
  const auto &inputs = operator_of(before).inputs, &outputs = operator_of(before).outputs;
  return std::all_of(inputs.begin(), inputs.end(), is_apart) && std::all_of(outputs.begin(), outputs.end(), is_apart);
}

}  // namespace

std::vector<uint32_t> channel_readers(const plan::Tables& plan) { return ChannelOrder(plan).readers(); }

std::vector<uint32_t> channel_predecessors(const plan::Tables& plan) {
  std::vector<uint32_t> before(plan.branches.size(), kNoBranch);
  const auto kind = static_cast<uint32_t>(plan::MemoryPlanKind::kAnySchedule);
  if (plan.memory_plans.size() <= kind) return before;
  const std::vector<uint32_t> readers = channel_readers(plan);
  for (uint32_t branch = 0; branch < before.size(); ++branch)
    if (readers[branch] != kNoBranch && are_apart(plan, plan.memory_plans[kind], readers[branch], branch))
      before[branch] = readers[branch];
  return before;
}

}  // namespace nestrt
