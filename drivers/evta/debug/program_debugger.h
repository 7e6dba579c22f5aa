// SPDX-License-Identifier: Apache-2.0
// ProgramDebugger: runs a program on an accelerator and in the functional simulator, and finds the first instruction
// whose results differ.
//
// The accelerator cannot be stopped between instructions. Instead, the debugger runs prefixes of the program
// (program_prefix.h), each from the same memory. The checker accepts every program that it runs.
//
// Threads: one at a time. The transport and the program must outlive the debugger.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "drivers/evta/driver/bound_program.h"
#include "drivers/evta/driver/transport.h"

namespace nestrt::evta {

// The bytes of a range that differ.
struct RangeDifference {
  size_t range = 0;     // index in BoundProgram::ranges
  uint64_t offset = 0;  // of the first one
  std::byte expected{}, actual{};
  uint64_t count = 0;
};

// The result of a run on the accelerator.
struct DebugRun {
  Status status;                             // of the accelerator
  std::vector<RangeDifference> differences;  // from the simulator; empty unless the status is ok
  bool is_right() const { return status.ok() && differences.empty(); }
};

struct WrongInstruction {
  size_t instruction = 0;  // the first one whose effect is wrong
  DebugRun run;            // of the shortest wrong prefix
  // True if the instruction computes wrong accumulators, which the prefix stores in addition. False for a wrong STORE,
  // or if the accelerator does not finish.
  bool is_computation = false;
  size_t unobserved = 0;  // computations before it whose prefixes the checker rejects
};

class ProgramDebugger {
 public:
  // Fills the program's inputs with random bytes. Errors: those of the checker; kOutOfMemory, kDeviceFault.
  static Result<ProgramDebugger> create(Transport& transport, const BoundProgram& program, uint32_t seed,
                                        std::chrono::milliseconds limit);

  const std::vector<Instruction>& instructions() const { return instructions_; }

  // Runs the first `count` instructions, or all. Errors: kInvalidPlan if the checker rejects this prefix; kOutOfMemory.
  Result<DebugRun> run(size_t count);
  Result<DebugRun> run_all() { return run(instructions_.size()); }
  // Finds the first instruction with a wrong effect after run_all() was wrong. Returns nullopt if no prefix is wrong,
  // because the result then depends on timing. `progress`: called with the number of finished runs. Errors: those of
  // run(); the status of a reset if the accelerator hangs and cannot be stopped.
  Result<std::optional<WrongInstruction>> find_first_wrong(const std::function<void(size_t)>& progress = [](size_t) {});

  // The contents of range i before each run, and after the last one on the accelerator and in the simulator.
  const std::vector<std::byte>& before(size_t range) const { return memory_[range].before; }
  const std::vector<std::byte>& actual(size_t range) const { return memory_[range].actual; }
  const std::vector<std::byte>& expected(size_t range) const { return memory_[range].expected; }

 private:
  struct Memory {
    MemoryRange range;  // as in the program
    std::shared_ptr<DeviceBuffer> device;
    std::vector<std::byte> before, actual, expected;
  };

  ProgramDebugger(Transport& transport, const BoundProgram& program, std::chrono::milliseconds limit)
      : transport_(transport), configuration_(*program.configuration), limit_(limit) {}

  Status add_memory(const MemoryRange& range, std::vector<std::byte> contents);
  Status add_observation_memory();
  Result<DebugRun> run_instructions(std::span<const Instruction> instructions);
  Status simulate(std::span<const InstructionWord> words, std::span<const MemoryRange> ranges);
  Status run_on_device(std::span<const InstructionWord> words, std::span<const MemoryRange> ranges);
  std::vector<RangeDifference> compare() const;
  Result<size_t> first_wrong_store();
  Result<std::optional<WrongInstruction>> first_wrong_computation(size_t store);
  Result<bool> is_wrong(size_t count);

  Transport& transport_;
  const Configuration& configuration_;
  const std::chrono::milliseconds limit_;
  std::vector<Instruction> instructions_;
  std::vector<Memory> memory_;  // of the program's ranges, and of the observation
  uint64_t observation_ = 0;    // address of the last one
  std::function<void(size_t)> progress_;
  size_t runs_ = 0;
};

}  // namespace nestrt::evta
