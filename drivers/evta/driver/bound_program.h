// BoundProgram: a program of instructions with the buffers that it is run on: a plan's, or the probe.
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
  // Where range i gets its bytes at run time; constant ranges have theirs.
  struct Binding {
    uint32_t buffer = 0;  // index in Bindings::buffers
    uint64_t offset = 0;
    MaybeConversion conversion;
  };

  const Configuration* configuration = nullptr;
  std::span<const InstructionWord> instructions;
  std::vector<MemoryRange> ranges;
  std::vector<Binding> bindings;  // by range

  Program program() const { return {configuration, instructions, ranges}; }
};

// `plan` is verified, the program is one of the branch; the result points into the plan. Errors: kIncompatible for a
// program of another configuration, with what differs and how to compile it again; kInvalidPlan for a stream that is
// none.
Result<BoundProgram> read_program(const Plan& plan, uint32_t branch, const plan::Program& program,
                                  const Configuration& configuration);

}  // namespace nestrt::evta
