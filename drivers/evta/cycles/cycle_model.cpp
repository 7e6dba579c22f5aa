// SPDX-License-Identifier: Apache-2.0
#include "drivers/evta/cycles/cycle_model.h"

#include <fmt/core.h>

#include <deque>
#include <string>

#include "drivers/evta/cycles/dram_server.h"
#include "drivers/evta/cycles/transfer.h"
#include "drivers/evta/isa/decode.h"

namespace nestrt::evta {
namespace {

constexpr size_t index_of(Module module) { return static_cast<size_t>(module); }

uint64_t micro_ops_of(const Loop& loop) {
  return loop.uop_end > loop.uop_begin ? uint64_t{loop.iter_out} * loop.iter_in * (loop.uop_end - loop.uop_begin) : 0;
}

uint64_t compute_cycles(const CycleProfile::Unit& unit, const Loop& loop) {
  return micro_ops_of(loop) * unit.per_micro_op + unit.per_instruction;
}

const CycleProfile::Unit& unit_of(const CycleProfile& profile, const Instruction& instruction) {
  if (instruction.opcode == Opcode::kGemm) return instruction.gemm().reset ? profile.gemm_reset : profile.gemm;
  return instruction.alu().use_immediate ? profile.alu_immediate : profile.alu_tensor;
}

bool is_transfer(const Instruction& instruction) {
  return instruction.opcode == Opcode::kLoad || instruction.opcode == Opcode::kStore;
}

// Returns whether the hardware has a path for the transfer. Stores read only OUT, which loads cannot write.
bool has_path(const Instruction& instruction) {
  return !is_transfer(instruction) ||
         (instruction.opcode == Opcode::kStore) == (instruction.transfer().memory == Memory::kOut);
}

// Tokens in transit between two modules: the times at which each becomes available.
class Tokens {
 public:
  void push(uint64_t time) { times_.push_back(time); }
  bool empty() const { return head_ == times_.size(); }
  uint64_t front() const { return times_[head_]; }
  void pop() { ++head_; }

 private:
  std::vector<uint64_t> times_;
  size_t head_ = 0;
};

class Simulation {
 public:
  Simulation(const Configuration& configuration, std::span<const Instruction> instructions, const CycleProfile& profile,
             std::vector<TraceEntry>* trace)
      : configuration_(configuration), instructions_(instructions), profile_(profile), trace_(trace), dram_(profile) {
    for (uint32_t i = 0; i < instructions.size(); ++i)
      modules_[index_of(module_of(instructions[i]))].queue.push_back(i);
    request_block(static_cast<uint64_t>(profile.launch));
  }

  Result<CycleCount> run() {
    while (!finished_) {
      while (advance()) {
      }
      if (finished_) break;
      const std::optional<DramServer::Service> service = dram_.serve();
      if (!service) return stuck();
      resume(*service);
    }
    add_lower_bound();
    return count_;
  }

 private:
  struct ModuleState {
    std::vector<uint32_t> queue;     // the module's instructions
    std::vector<uint64_t> arrivals;  // per instruction that the fetch module has dispatched
    std::vector<uint64_t> ends;      // per completed instruction
    bool transferring = false;
    uint64_t free = 0;   // end of the last instruction
    uint64_t start = 0;  // start of the current instruction
    TransferCycles transfer;
  };

  bool advance() {
    bool progress = hand_out();
    for (size_t module = 0; module < modules_.size() && !finished_; ++module)
      while (start_next(static_cast<Module>(module))) progress = true;
    return progress;
  }

  // --- Fetch: reads a block of instructions, then dispatches one per cycle if the queues have room.

  void request_block(uint64_t time) {
    const size_t rest = instructions_.size() - handed_out_;
    if (rest == 0) return;
    block_end_ = handed_out_ + std::min(rest, static_cast<size_t>(profile_.fetch_block));
    const size_t bytes = (block_end_ - handed_out_) * sizeof(InstructionWord);
    dram_.request(DramClient::kFetch, {time, static_cast<uint32_t>(bytes / profile_.bus_bytes)});
    read_beats_ += bytes / profile_.bus_bytes;
    reading_block_ = true;
  }

  uint64_t beats_of_instruction() const {
    return std::max<uint64_t>(1, sizeof(InstructionWord) / static_cast<size_t>(profile_.bus_bytes));
  }

  uint64_t cycles_to_hand_out() const { return profile_.streamed_fetch ? beats_of_instruction() : 1; }

  // Ends a block of instructions. With streamed fetch, each instruction is dispatched once its own beats have arrived,
  // otherwise once the whole block has.
  void end_block(uint64_t end) {
    reading_block_ = false;
    hand_out_time_ = profile_.streamed_fetch ? end - (block_end_ - handed_out_) * beats_of_instruction() : end;
  }

  bool hand_out() {
    if (reading_block_) return false;
    bool progress = false;
    for (; handed_out_ < block_end_; ++handed_out_) {
      ModuleState& module = modules_[index_of(module_of(instructions_[handed_out_]))];
      const size_t position = module.arrivals.size(), depth = static_cast<size_t>(profile_.queue_depth);
      if (position >= depth) {
        if (module.ends.size() <= position - depth) return progress;
        hand_out_time_ = std::max(hand_out_time_, module.ends[position - depth]);
      }
      hand_out_time_ += cycles_to_hand_out();
      module.arrivals.push_back(hand_out_time_);
      progress = true;
      if (handed_out_ + 1 == block_end_ && block_end_ < instructions_.size()) {
        ++handed_out_;
        request_block(hand_out_time_ + 1);
        return true;
      }
    }
    return progress;
  }

  // --- Modules.

  // Returns the queue from which a module takes tokens, or to which it gives them; null if there is no such neighbour.
  Tokens* from_prev(Module module) {
    return module == Module::kCompute ? &load_to_compute_ : module == Module::kStore ? &compute_to_store_ : nullptr;
  }
  Tokens* from_next(Module module) {
    return module == Module::kCompute ? &store_to_compute_ : module == Module::kLoad ? &compute_to_load_ : nullptr;
  }
  Tokens* to_prev(Module module) {
    return module == Module::kCompute ? &compute_to_load_ : module == Module::kStore ? &store_to_compute_ : nullptr;
  }
  Tokens* to_next(Module module) {
    return module == Module::kCompute ? &compute_to_store_ : module == Module::kLoad ? &load_to_compute_ : nullptr;
  }

  // Starts the module's next instruction if it has arrived and its tokens are available.
  bool start_next(Module module) {
    ModuleState& state = modules_[index_of(module)];
    const size_t position = state.ends.size();
    if (finished_ || state.transferring || position >= state.arrivals.size()) return false;
    const Instruction& instruction = instructions_[state.queue[position]];
    Tokens* const prev = instruction.dependencies.pop_prev ? from_prev(module) : nullptr;
    Tokens* const next = instruction.dependencies.pop_next ? from_next(module) : nullptr;
    if ((prev != nullptr && prev->empty()) || (next != nullptr && next->empty())) return false;

    ModuleCycles& cycles = count_.modules[index_of(module)];
    state.start = state.free;
    wait_until(state.arrivals[position], &state.start, &cycles.fetch_wait);
    if (prev != nullptr) wait_for(prev, &state.start, &cycles.prev_wait);
    if (next != nullptr) wait_for(next, &state.start, &cycles.next_wait);
    execute(module, instruction);
    return true;
  }

  static void wait_until(uint64_t time, uint64_t* now, uint64_t* wait) {
    if (time <= *now) return;
    *wait += time - *now;
    *now = time;
  }

  static void wait_for(Tokens* tokens, uint64_t* now, uint64_t* wait) {
    wait_until(tokens->front(), now, wait);
    tokens->pop();
  }

  void execute(Module module, const Instruction& instruction) {
    const uint64_t now = modules_[index_of(module)].start + profile_.dispatch;
    if (is_transfer(instruction)) return begin_transfer(module, instruction.transfer(), now);
    if (instruction.opcode == Opcode::kFinish) return complete(module, now + 1);
    count_work(instruction);
    const uint64_t cycles = compute_cycles(unit_of(profile_, instruction), instruction.loop());
    work_[index_of(module)] += cycles;
    complete(module, now + cycles);
  }

  void count_work(const Instruction& instruction) {
    const uint64_t micro_ops = micro_ops_of(instruction.loop());
    if (instruction.opcode == Opcode::kAlu)
      count_.alu_micro_ops += micro_ops;
    else if (instruction.gemm().reset)
      count_.reset_micro_ops += micro_ops;
    else
      count_.gemm_micro_ops += micro_ops;
  }

  void begin_transfer(Module module, const Transfer& transfer, uint64_t now) {
    if (transfer.is_empty()) return complete(module, now + 1);
    ModuleState& state = modules_[index_of(module)];
    state.transfer = TransferCycles(profile_, configuration_, transfer);
    state.transferring = true;
    count_.bytes[static_cast<size_t>(transfer.memory)] += state.transfer.bytes();
    work_[index_of(module)] += state.transfer.least_cycles();
    continue_transfer(module, now);
  }

  void continue_transfer(Module module, uint64_t now) {
    ModuleState& state = modules_[index_of(module)];
    Burst burst;
    if (state.transfer.next_burst(&now, &burst)) {
      (module == Module::kStore ? write_beats_ : read_beats_) += burst.beats;
      return dram_.request(state.transfer.client(), burst);
    }
    state.transferring = false;
    complete(module, state.transfer.end(state.start + static_cast<uint64_t>(profile_.dispatch), now));
  }

  void resume(const DramServer::Service& service) {
    if (service.client == DramClient::kFetch) return end_block(service.end);
    const Module module = service.client == DramClient::kOut   ? Module::kStore
                          : service.client == DramClient::kInp ? Module::kLoad
                          : service.client == DramClient::kWgt ? Module::kLoad
                                                               : Module::kCompute;
    count_.modules[index_of(module)].memory_wait += service.wait;
    const bool last = modules_[index_of(module)].transfer.all_requested();
    continue_transfer(module, last ? service.end : service.next);
  }

  void complete(Module module, uint64_t end) {
    ModuleState& state = modules_[index_of(module)];
    const uint32_t index = state.queue[state.ends.size()];
    const Instruction& instruction = instructions_[index];
    state.free = end;
    state.ends.push_back(end);
    count_.modules[index_of(module)].busy += end - state.start;
    if (trace_ != nullptr) trace_->push_back({module, index, state.start, end});
    push_tokens(module, instruction.dependencies, end);
    if (instruction.opcode != Opcode::kFinish) return;
    finished_ = true;
    count_.cycles = end - 1;  // the counter stops in the cycle in which FINISH executes
  }

  void push_tokens(Module module, const Dependencies& dependencies, uint64_t end) {
    const CycleProfile::Tokens& tokens = profile_.tokens;
    const int to_prev_takes = module == Module::kStore ? tokens.from_store : tokens.load_and_compute;
    const int to_next_takes = module == Module::kCompute ? tokens.to_store : tokens.load_and_compute;
    if (dependencies.push_prev && to_prev(module) != nullptr)
      to_prev(module)->push(end + static_cast<uint64_t>(to_prev_takes));
    if (dependencies.push_next && to_next(module) != nullptr)
      to_next(module)->push(end + static_cast<uint64_t>(to_next_takes));
  }

  void add_lower_bound() {
    count_.lower_bound = profile_.separate_writes ? std::max(read_beats_, write_beats_) : read_beats_ + write_beats_;
    for (uint64_t work : work_) count_.lower_bound = std::max(count_.lower_bound, work);
  }

  Status stuck() const {
    for (size_t i = 0; i < modules_.size(); ++i) {
      const ModuleState& state = modules_[i];
      if (state.ends.size() == state.queue.size()) continue;
      return Status(
          Code::kInvalidPlan,
          fmt::format(
              "instruction {} waits forever: the {} module lacks a token, or the queue of another module is full",
              state.queue[state.ends.size()], name(static_cast<Module>(i))));
    }
    return Status(Code::kInvalidPlan, "the program has no FINISH");
  }

  const Configuration& configuration_;
  const std::span<const Instruction> instructions_;
  const CycleProfile& profile_;
  std::vector<TraceEntry>* const trace_;
  DramServer dram_;
  CycleCount count_;
  bool finished_ = false;

  std::array<ModuleState, kNumModules> modules_;
  Tokens load_to_compute_, compute_to_load_, compute_to_store_, store_to_compute_;

  size_t handed_out_ = 0;
  size_t block_end_ = 0;
  bool reading_block_ = false;
  uint64_t hand_out_time_ = 0;

  std::array<uint64_t, kNumModules> work_ = {};
  uint64_t read_beats_ = 0;
  uint64_t write_beats_ = 0;
};

}  // namespace

uint64_t CycleCount::total_bytes() const {
  uint64_t total = 0;
  for (uint64_t moved : bytes) total += moved;
  return total;
}

Result<CycleCount> count_cycles(const Configuration& configuration, std::span<const Instruction> instructions,
                                const CycleProfile& profile, std::vector<TraceEntry>* trace) {
  for (size_t i = 0; i < instructions.size(); ++i)
    if (!has_path(instructions[i]))
      return Status(Code::kInvalidPlan, fmt::format("instruction {}: the hardware has no path to or from {}", i,
                                                    name(instructions[i].transfer().memory)));
  return Simulation(configuration, instructions, profile, trace).run();
}

Result<CycleCount> count_cycles(const Program& program, const CycleProfile& profile, std::vector<TraceEntry>* trace) {
  std::vector<Instruction> instructions;
  instructions.reserve(program.instructions.size());
  for (size_t i = 0; i < program.instructions.size(); ++i) {
    Result<Instruction> instruction = decode(*program.configuration, program.instructions[i]);
    if (!instruction) return instruction.error().with_context(fmt::format("instruction {}", i));
    instructions.push_back(std::move(*instruction));
  }
  return count_cycles(*program.configuration, instructions, profile, trace);
}

}  // namespace nestrt::evta
