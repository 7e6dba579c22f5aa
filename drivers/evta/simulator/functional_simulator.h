// SPDX-License-Identifier: Apache-2.0
// FunctionalSimulator: executes a program with results bit-identical to plain_simulator.h, at the speed of the
// machine's SIMD units. A program is decoded and ordered once; GEMM and ALU use vector_engine.h. If hardware deviates
// from the definition (checker/hazard.h), the simulator follows the definition and does not report it, so it requires
// programs that have passed the checker.
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
  // The on-chip memories of an accelerator, a few hundred KB. Programs of one accelerator share them.
  struct Memories;
  // `initial`: value of every byte at the start of each run. Errors: kUnsupported for configurations that the simulator
  // does not support, kOutOfMemory.
  static Result<std::shared_ptr<Memories>> make_memories(const Configuration& configuration,
                                                         std::byte initial = std::byte{0});

  // Copies everything it needs from the program except the configuration, which must be from read_configuration().
  // `memories` must have the same configuration; if null, private ones are created. Errors: as for make_memories();
  // kInvalidPlan as for execution_order() and for instructions that cannot be decoded.
  static Result<FunctionalSimulator> create(const Program& program, std::shared_ptr<Memories> memories = nullptr);

  FunctionalSimulator(FunctionalSimulator&&) noexcept;
  FunctionalSimulator& operator=(FunctionalSimulator&&) noexcept;
  ~FunctionalSimulator();

  // Runs from the first instruction to FINISH; private on-chip memories are initially zero. Errors: kUnsupported for an
  // ALU multiplication, kDeviceFault for an access beyond a memory or a range of `dram`. Never accesses memory outside
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
