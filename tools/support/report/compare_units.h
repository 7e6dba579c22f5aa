// Whether units compute what the CPU computes, branch by branch, on random inputs.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "nestrt/driver/unit.h"
#include "nestrt/plan.h"

namespace nestrt::tools {

struct BranchComparison {
  uint32_t branch = 0;
  std::string operators;  // the name of its first operator
  std::string unit;
  ChannelRange channels;   // that the unit computes
  uint64_t bytes = 0;      // compared
  uint64_t different = 0;  // bytes that differ
  uint64_t stray = 0;      // bytes that the branch has to do with, but does not compute, that the unit has changed
};

// Every program of a branch for one of the units beside the CPU, which must be among them. Inputs are random bytes, the
// unspecified lanes of blocked layouts included; results are compared bit for bit, and all that lies beside them in the
// same buffers must stay as it was. Where a program computes some channels, the CPU computes the others.
// Errors: those of Unit::prepare and of the runs; kInvalidArgument without a CPU; kOutOfMemory.
Result<std::vector<BranchComparison>> compare_units(const std::shared_ptr<const Plan>& plan, const UnitList& units);

}  // namespace nestrt::tools
