// SPDX-License-Identifier: Apache-2.0
#include "drivers/evta/execution_order.h"

#include <fmt/core.h>

#include <algorithm>
#include <deque>
#include <optional>

#include "drivers/evta/errors.h"

namespace nestrt::evta {
namespace {

// The token queues, ordered by consumer and flag.
enum Queue : uint8_t { kLoadToCompute, kComputeToLoad, kComputeToStore, kStoreToCompute, kNumQueues };

std::string_view name(Queue queue) {
  constexpr std::array<std::string_view, kNumQueues> kNames = {"load to compute", "compute to load", "compute to store",
                                                               "store to compute"};
  return kNames[queue];
}

struct QueueSet {
  std::array<Queue, 2> items = {};
  size_t count = 0;

  void add(bool condition, Queue queue) {
    if (condition) items[count++] = queue;
  }
  const Queue* begin() const { return items.data(); }
  const Queue* end() const { return items.data() + count; }
};

QueueSet pops_of(Module module, const Dependencies& flags) {
  QueueSet queues;
  queues.add(module == Module::kLoad && flags.pop_next, kComputeToLoad);
  queues.add(module == Module::kCompute && flags.pop_prev, kLoadToCompute);
  queues.add(module == Module::kCompute && flags.pop_next, kStoreToCompute);
  queues.add(module == Module::kStore && flags.pop_prev, kComputeToStore);
  return queues;
}

QueueSet pushes_of(Module module, const Dependencies& flags) {
  QueueSet queues;
  queues.add(module == Module::kLoad && flags.push_next, kLoadToCompute);
  queues.add(module == Module::kCompute && flags.push_prev, kComputeToLoad);
  queues.add(module == Module::kCompute && flags.push_next, kComputeToStore);
  queues.add(module == Module::kStore && flags.push_prev, kStoreToCompute);
  return queues;
}

bool has_illegal_edge(Module module, const Dependencies& flags) {
  return (module == Module::kLoad && (flags.pop_prev || flags.push_prev)) ||
         (module == Module::kStore && (flags.pop_next || flags.push_next));
}

class Machine {
 public:
  explicit Machine(std::span<const Instruction> instructions) : instructions_(instructions) {
    order_.reserve(instructions.size());
  }

  Result<std::vector<OrderedInstruction>> run() {
    NESTRT_RETURN_IF_ERROR(check_shape());
    for (bool progress = true; progress;) {
      progress = fetch();
      for (int i = 0; i < kNumModules; ++i) progress |= advance(static_cast<Module>(i));
    }
    if (order_.size() < instructions_.size()) return deadlock();
    NESTRT_RETURN_IF_ERROR(check_leftovers());
    NESTRT_RETURN_IF_ERROR(check_finish());
    return std::move(order_);
  }

 private:
  // A module, which executes in order.
  struct Stage {
    std::deque<uint32_t> commands;     // fetched, not yet started
    std::optional<uint32_t> executed;  // completed, but waiting for room in its token queues
    ModuleCounts known = {};           // known to be complete, based on the tokens taken
    uint32_t total = 0;
  };

  Stage& stage(Module module) { return stages_[static_cast<size_t>(module)]; }

  Status check_shape() {
    for (size_t i = 0; i < instructions_.size(); ++i) {
      const Instruction& instruction = instructions_[i];
      const Module module = module_of(instruction);
      ++stage(module).total;
      if (has_illegal_edge(module, instruction.dependencies))
        return invalid_program(
            fmt::format("instruction {} ({}) exchanges tokens with a module that is not adjacent to {}", i,
                        evta::name(instruction.opcode), evta::name(module)));
      if (instruction.opcode == Opcode::kFinish && i + 1 < instructions_.size())
        return invalid_program(
            fmt::format("instruction {} is FINISH, but {} more follow", i, instructions_.size() - i - 1));
    }
    if (instructions_.empty() || instructions_.back().opcode != Opcode::kFinish)
      return invalid_program("the last instruction is not FINISH");
    return {};
  }

  bool fetch() {
    const size_t begin = fetched_;
    for (; fetched_ < instructions_.size(); ++fetched_) {
      auto& commands = stage(module_of(instructions_[fetched_])).commands;
      if (commands.size() == kCommandQueueDepth) break;
      commands.push_back(static_cast<uint32_t>(fetched_));
    }
    return fetched_ > begin;
  }

  bool advance(Module module) {
    bool progress = false;
    while (complete(module) || start(module)) progress = true;
    return progress;
  }

  bool start(Module module) {
    Stage& self = stage(module);
    if (self.executed || self.commands.empty()) return false;
    const uint32_t index = self.commands.front();
    const QueueSet pops = pops_of(module, instructions_[index].dependencies);
    if (std::any_of(pops.begin(), pops.end(), [&](Queue queue) { return tokens_[queue].empty(); })) return false;
    for (const Queue queue : pops) {
      const ModuleCounts& giver = tokens_[queue].front();
      for (size_t i = 0; i < giver.size(); ++i) self.known[i] = std::max(self.known[i], giver[i]);
      tokens_[queue].pop_front();
    }
    self.commands.pop_front();
    self.executed = index;
    order_.push_back({index, self.known});
    return true;
  }

  bool complete(Module module) {
    Stage& self = stage(module);
    if (!self.executed) return false;
    const QueueSet pushes = pushes_of(module, instructions_[*self.executed].dependencies);
    const auto is_full = [&](Queue queue) { return tokens_[queue].size() == kTokenQueueDepth; };
    if (std::any_of(pushes.begin(), pushes.end(), is_full)) return false;
    ++self.known[static_cast<size_t>(module)];
    for (const Queue queue : pushes) tokens_[queue].push_back(self.known);
    self.executed.reset();
    return true;
  }

  Status deadlock() const {
    for (const Stage& self : stages_) {
      if (self.executed) return deadlock_of(*self.executed, "has no space for its token");
    }
    for (const Stage& self : stages_) {
      if (self.commands.empty()) continue;
      const uint32_t index = self.commands.front();
      const Instruction& instruction = instructions_[index];
      for (const Queue queue : pops_of(module_of(instruction), instruction.dependencies)) {
        if (tokens_[queue].empty()) return deadlock_of(index, fmt::format("waits for a token from {}", name(queue)));
      }
    }
    return invalid_program("deadlock");
  }

  Status deadlock_of(uint32_t index, std::string_view what) const {
    return invalid_program(fmt::format("deadlock: instruction {} ({}) {}, fetch is at instruction {} of {}", index,
                                       evta::name(instructions_[index].opcode), what, fetched_, instructions_.size()));
  }

  Status check_leftovers() const {
    for (int i = 0; i < kNumQueues; ++i) {
      if (!tokens_[i].empty())
        return invalid_program(
            fmt::format("{} tokens from {} remain at the end", tokens_[i].size(), name(static_cast<Queue>(i))));
    }
    return {};
  }

  Status check_finish() {
    const auto finish = std::find_if(order_.begin(), order_.end(), [&](const OrderedInstruction& ordered) {
      return ordered.index + 1 == instructions_.size();
    });
    for (const Module module : {Module::kLoad, Module::kStore}) {
      const uint32_t completed = finish->before[static_cast<size_t>(module)];
      if (completed < stage(module).total)
        return invalid_program(fmt::format(
            "FINISH does not wait for the last of the {} instructions of {}: the program would end while it still runs",
            stage(module).total, evta::name(module)));
    }
    return {};
  }

  std::span<const Instruction> instructions_;
  size_t fetched_ = 0;
  std::array<Stage, kNumModules> stages_;
  std::array<std::deque<ModuleCounts>, kNumQueues> tokens_;
  std::vector<OrderedInstruction> order_;
};

}  // namespace

Result<std::vector<OrderedInstruction>> execution_order(std::span<const Instruction> instructions) {
  return Machine(instructions).run();
}

}  // namespace nestrt::evta
