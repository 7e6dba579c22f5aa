// FunctionalSimulator: computes what a program computes, bit for bit like plain_simulator.h, at the speed of the
// machine's SIMD units: a program is decoded and put in order once, GEMM and ALU run in vector_engine.h. What hardware
// computes otherwise (checker/hazard.h) it computes as the definition says, and reports nothing: it is for programs
// that the checker has passed.
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
  // Every run finds bytes of that value in them. Errors: kUnsupported for configurations that the simulator does not
  // run, kOutOfMemory.
  static Result<std::shared_ptr<Memories>> make_memories(const Configuration& configuration,
                                                         std::byte initial = std::byte{0});

  // Copies what it needs of the program but for the configuration, which is one of kConfigurations. Without memories,
  // of its configuration, it makes its own. Errors: as make_memories(), kInvalidPlan as execution_order() and for
  // instructions that do not decode.
  static Result<FunctionalSimulator> create(const Program& program, std::shared_ptr<Memories> memories = nullptr);

  FunctionalSimulator(FunctionalSimulator&&) noexcept;
  FunctionalSimulator& operator=(FunctionalSimulator&&) noexcept;
  ~FunctionalSimulator();

  // One run from the first instruction to FINISH; its own on-chip memories start as zeros. Errors: kUnsupported for an
  // ALU multiplication, kDeviceFault for an access beyond a memory or a range of `dram`. What is not in those ranges is
  // never touched.
  Status run(const Dram& dram);

 private:
  FunctionalSimulator();

  const Configuration* configuration_ = nullptr;
  std::vector<Instruction> instructions_;
  std::vector<OrderedInstruction> order_;
  std::shared_ptr<Memories> memories_;
};

}  // namespace nestrt::evta
