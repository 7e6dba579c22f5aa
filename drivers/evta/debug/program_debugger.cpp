// SPDX-License-Identifier: Apache-2.0
#include "drivers/evta/debug/program_debugger.h"

#include <algorithm>
#include <random>

#include "drivers/evta/checker/program_checker.h"
#include "drivers/evta/debug/program_prefix.h"
#include "drivers/evta/driver/relocate.h"
#include "drivers/evta/isa/decode.h"
#include "drivers/evta/isa/encode.h"
#include "drivers/evta/simulator/functional_simulator.h"

namespace nestrt::evta {
namespace {

// Initial value of memory that a program only writes, so that missing writes are detected.
constexpr std::byte kUnwritten{0x55};
// Alignment of the observed address, a multiple of the element size of every memory.
constexpr uint64_t kObservationAlignment = uint64_t{1} << 20;

std::vector<std::byte> random_bytes(uint64_t size, std::mt19937& random) {
  std::vector<std::byte> bytes(size);
  for (std::byte& byte : bytes) byte = static_cast<std::byte>(random());
  return bytes;
}

std::vector<std::byte> contents_of(const MemoryRange& range, std::mt19937& random) {
  if (range.constant != nullptr) return {range.constant, range.constant + range.size};
  if (!allows(range.access, MemoryRange::Access::kRead)) return std::vector<std::byte>(range.size, kUnwritten);
  return random_bytes(range.size, random);
}

Result<std::vector<InstructionWord>> encode_all(const Configuration& configuration,
                                                std::span<const Instruction> instructions) {
  std::vector<InstructionWord> words;
  for (const Instruction& instruction : instructions) {
    NESTRT_ASSIGN_OR_RETURN(words.emplace_back(), encode(configuration, instruction));
  }
  return words;
}

bool computes(const Instruction& instruction) {
  return instruction.opcode == Opcode::kAlu || (instruction.opcode == Opcode::kGemm && !instruction.gemm().reset);
}

}  // namespace

Result<ProgramDebugger> ProgramDebugger::create(Transport& transport, const BoundProgram& program, uint32_t seed,
                                                std::chrono::milliseconds limit) {
  NESTRT_RETURN_IF_ERROR(check_program(program.program(), Results::kPartial));
  ProgramDebugger debugger(transport, program, limit);
  NESTRT_ASSIGN_OR_RETURN(debugger.instructions_, decode(*program.configuration, program.instructions));
  std::mt19937 random(seed);
  for (const MemoryRange& range : program.ranges)
    NESTRT_RETURN_IF_ERROR(debugger.add_memory(range, contents_of(range, random)));
  NESTRT_RETURN_IF_ERROR(debugger.add_observation_memory());
  return debugger;
}

Status ProgramDebugger::add_memory(const MemoryRange& range, std::vector<std::byte> contents) {
  Memory& added = memory_.emplace_back();
  added.range = range;
  added.before = std::move(contents);
  NESTRT_ASSIGN_OR_RETURN(added.device, transport_.allocate(range.size, range.address % kPageBytes));
  return {};
}

Status ProgramDebugger::add_observation_memory() {
  uint64_t end = 0;
  for (const Memory& memory : memory_) end = std::max(end, memory.range.address + memory.range.size);
  observation_ = (end + kObservationAlignment - 1) / kObservationAlignment * kObservationAlignment;
  const auto bytes =
      static_cast<uint64_t>(configuration_.acc_depth()) * static_cast<uint64_t>(configuration_.out_bytes());
  return add_memory({observation_, bytes, MemoryRange::Access::kWrite, nullptr},
                    std::vector<std::byte>(bytes, kUnwritten));
}

// --- Runs.

Result<DebugRun> ProgramDebugger::run(size_t count) {
  if (count >= instructions_.size()) return run_instructions(instructions_);
  return run_instructions(make_prefix(instructions_, count));
}

Result<DebugRun> ProgramDebugger::run_instructions(std::span<const Instruction> instructions) {
  NESTRT_ASSIGN_OR_RETURN(const std::vector<InstructionWord> words, encode_all(configuration_, instructions));
  std::vector<MemoryRange> ranges;
  for (const Memory& memory : memory_) ranges.push_back(memory.range);
  NESTRT_RETURN_IF_ERROR(check_program({&configuration_, words, ranges}, Results::kPartial));
  if (progress_) progress_(runs_++);
  NESTRT_RETURN_IF_ERROR(simulate(words, ranges));
  DebugRun result;
  result.status = run_on_device(words, ranges);
  if (result.status.ok()) result.differences = compare();
  return result;
}

Status ProgramDebugger::simulate(std::span<const InstructionWord> words, std::span<const MemoryRange> ranges) {
  Dram dram;
  for (Memory& memory : memory_) {
    memory.expected = memory.before;
    dram.add_read_write(memory.range.address, memory.expected);
  }
  NESTRT_ASSIGN_OR_RETURN(FunctionalSimulator simulator, FunctionalSimulator::create({&configuration_, words, ranges}));
  return simulator.run(dram);
}

Status ProgramDebugger::run_on_device(std::span<const InstructionWord> words, std::span<const MemoryRange> ranges) {
  std::vector<MemoryRange> placed(ranges.begin(), ranges.end());
  std::vector<uint64_t> targets;
  std::vector<std::shared_ptr<DeviceBuffer>> buffers;
  for (size_t i = 0; i < memory_.size(); ++i) {
    std::ranges::copy(memory_[i].before, memory_[i].device->bytes().begin());
    NESTRT_RETURN_IF_ERROR(memory_[i].device->to_device(0, memory_[i].before.size()));
    buffers.push_back(memory_[i].device);
    targets.push_back(placed[i].address = memory_[i].device->address());
  }
  NESTRT_ASSIGN_OR_RETURN(const auto relocated, relocate({&configuration_, words, ranges}, targets));
  NESTRT_ASSIGN_OR_RETURN(const auto program, transport_.load({&configuration_, relocated, placed}, buffers));
  NESTRT_RETURN_IF_ERROR(transport_.start(program));
  if (Status status = transport_.wait(SteadyClock::now() + limit_); !status.ok()) return status;
  for (Memory& memory : memory_) {
    NESTRT_RETURN_IF_ERROR(memory.device->from_device(0, memory.before.size()));
    memory.actual.assign(memory.device->bytes().begin(), memory.device->bytes().end());
  }
  return {};
}

std::vector<RangeDifference> ProgramDebugger::compare() const {
  std::vector<RangeDifference> differences;
  for (size_t i = 0; i < memory_.size(); ++i) {
    const std::vector<std::byte>&expected = memory_[i].expected, &actual = memory_[i].actual;
    const auto [first, other] = std::ranges::mismatch(expected, actual);
    if (first == expected.end()) continue;
    RangeDifference& difference = differences.emplace_back();
    difference = {i, static_cast<uint64_t>(first - expected.begin()), *first, *other};
    for (size_t byte = 0; byte < expected.size(); ++byte) difference.count += expected[byte] != actual[byte] ? 1 : 0;
  }
  return differences;
}

// --- The search.

Result<bool> ProgramDebugger::is_wrong(size_t count) {
  NESTRT_ASSIGN_OR_RETURN(const DebugRun result, run(count));
  if (!result.status.ok()) NESTRT_RETURN_IF_ERROR(transport_.reset());
  return !result.is_right();
}

// Returns the first STORE after which memory is wrong, or the number of instructions. Bytes written by a wrong STORE
// stay wrong in longer prefixes, because a program writes its results once.
Result<size_t> ProgramDebugger::first_wrong_store() {
  std::vector<size_t> stores;
  for (size_t i = 0; i < instructions_.size(); ++i)
    if (instructions_[i].opcode == Opcode::kStore) stores.push_back(i);
  size_t right = 0, wrong = stores.size();  // the prefix of the last STORE may be right: its end differs
  while (right < wrong) {
    const size_t middle = (right + wrong) / 2;
    NESTRT_ASSIGN_OR_RETURN(const bool is_middle_wrong, is_wrong(stores[middle] + 1));
    if (is_middle_wrong)
      wrong = middle;
    else
      right = middle + 1;
  }
  return wrong < stores.size() ? stores[wrong] : instructions_.size();
}

Result<std::optional<WrongInstruction>> ProgramDebugger::first_wrong_computation(size_t store) {
  Transfer observed = instructions_[store].transfer();
  observed.dram_base = static_cast<uint32_t>(observation_ / static_cast<uint64_t>(configuration_.out_bytes()));
  observed.x_stride = observed.x_size;
  size_t begin = store;
  while (begin > 0 && instructions_[begin - 1].opcode != Opcode::kStore) --begin;
  WrongInstruction wrong;
  for (size_t i = begin; i < store; ++i) {
    if (!computes(instructions_[i])) continue;
    auto run = run_instructions(make_prefix(instructions_, i + 1, &observed));
    if (!run && run.error().code() != Code::kInvalidPlan) return run.error();
    wrong.unobserved += run ? 0 : 1;
    if (!run || run->is_right()) continue;
    wrong.instruction = i;
    wrong.run = std::move(*run);
    wrong.is_computation = wrong.run.status.ok();
    return std::optional(std::move(wrong));
  }
  return std::optional<WrongInstruction>();
}

Result<std::optional<WrongInstruction>> ProgramDebugger::find_first_wrong(const std::function<void(size_t)>& progress) {
  progress_ = progress;
  runs_ = 0;
  NESTRT_RETURN_IF_ERROR(transport_.reset());
  NESTRT_ASSIGN_OR_RETURN(const size_t store, first_wrong_store());
  if (store == instructions_.size()) return std::optional<WrongInstruction>();
  NESTRT_ASSIGN_OR_RETURN(std::optional<WrongInstruction> computation, first_wrong_computation(store));
  if (computation) return computation;
  WrongInstruction wrong;
  wrong.instruction = store;
  NESTRT_ASSIGN_OR_RETURN(wrong.run, run(store + 1));
  return std::optional(std::move(wrong));
}

}  // namespace nestrt::evta
