// SPDX-License-Identifier: Apache-2.0
// FunctionalSimulator: executes a program bit for bit like plain_simulator.h, at the speed of the machine's SIMD units.
// A program is decoded and ordered once; GEMM and ALU use vector_engine.h. It follows the definition where hardware
// differs (checker/hazard.h) without reporting it, so it requires programs that have passed the checker.
//
// Threads: one run at a time per set of on-chip memories.
#pragma once

#include <memory>

#include "drivers/evta/execution_order.h"
#include "drivers/evta/simulator/dram.h"
#include "nestrt/result.h"

namespace nestrt::evta {

class FunctionalSimulator {
 public:
  // The on-chip memories of an accelerator, some hundred KB. Programs of one accelerator share them.
  struct Memories;
  // `initial`: value of every byte at the start of each run. Errors: kUnsupported for configurations that the simulator
  // does not support, kOutOfMemory.
  static Result<std::shared_ptr<Memories>> make_memories(const Configuration& configuration,
                                                         std::byte initial = std::byte{0});

  // Copies what it needs of the program except the configuration, which must be one of kConfigurations. `memories` must
  // have the same configuration; if null, creates private ones. Errors: same as make_memories(); kInvalidPlan as
  // execution_order() and for instructions that do not decode.
  static Result<FunctionalSimulator> create(const Program& program, std::shared_ptr<Memories> memories = nullptr);

  FunctionalSimulator(FunctionalSimulator&&) noexcept;
  FunctionalSimulator& operator=(FunctionalSimulator&&) noexcept;
  ~FunctionalSimulator();

  // Runs from the first instruction to FINISH; private on-chip memories start as zeros. Errors: kUnsupported for an ALU
  // multiplication, kDeviceFault for an access beyond a memory or a range of `dram`. Never accesses memory outside
  // those ranges.
  Status run(const Dram& dram);

 private:
  FunctionalSimulator();

  const Configuration* configuration_ = nullptr;
  std::vector<Instruction> instructions_;
  std::vector<OrderedInstruction> order_;
  std::shared_ptr<Memories> memories_;
};

}  // namespace nestrt::evta
