// SPDX-License-Identifier: Apache-2.0
// Compares the results of units with those of the CPU, branch by branch, on random inputs.
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
  ChannelRange channels;   // computed by the unit
  uint64_t bytes = 0;      // number of compared bytes
  uint64_t different = 0;  // number of different bytes
  uint64_t stray = 0;      // bytes that the unit changed although the branch does not compute them
};

// Compares each program of each accelerator with the CPU, which must be among the units. Inputs are random bytes,
// including the unspecified lanes of blocked layouts. Results are compared bit for bit, and all other bytes of the same
// buffers must stay unchanged. For a vendor's program, only its declared outputs are compared. If a program computes
// some of the channels, the CPU computes the rest. Errors: those of Unit::prepare and of the runs; kInvalidArgument
// without a CPU; kOutOfMemory.
Result<std::vector<BranchComparison>> compare_units(const std::shared_ptr<const Plan>& plan, const UnitList& units);

}  // namespace nestrt::tools
