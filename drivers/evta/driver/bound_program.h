// SPDX-License-Identifier: Apache-2.0
// BoundProgram: an instruction program and its buffers, from a plan or for the probe.
#pragma once

#include <vector>

#include "drivers/evta/driver/memory/conversion.h"
#include "drivers/evta/program.h"
#include "nestrt/plan.h"
#include "nestrt/result.h"

namespace nestrt::plan {
struct Program;
}

namespace nestrt::evta {

struct BoundProgram {
  // The source of range i at run time. Constant ranges contain their own bytes.
  struct Binding {
    uint32_t buffer = 0;  // index in Bindings::buffers
    uint64_t offset = 0;
    MaybeConversion conversion;
  };

  const Configuration* configuration = nullptr;
  std::span<const InstructionWord> instructions;
  std::vector<MemoryRange> ranges;
  std::vector<Binding> bindings;  // per range

  Program program() const { return {configuration, instructions, ranges}; }
};

// Requires a verified `plan` and a program of the branch. The result refers to the plan. Errors: kIncompatible for a
// program of another configuration, with the difference and the command to recompile it; kInvalidPlan for an invalid
// instruction stream.
Result<BoundProgram> read_program(const Plan& plan, uint32_t branch, const plan::Program& program,
                                  const Configuration& configuration);

}  // namespace nestrt::evta
