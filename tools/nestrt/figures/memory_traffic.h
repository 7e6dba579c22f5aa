// SPDX-License-Identifier: Apache-2.0
// The memory traffic of a plan's programs.
#pragma once

#include <map>
#include <utility>
#include <vector>

#include "nestrt/driver/schedule.h"
#include "nestrt/plan.h"
#include "nestrt/result.h"

namespace nestrt::command {

class MemoryTraffic {
 public:
  // Errors: kInvalidPlan for an invalid instruction stream.
  static Result<MemoryTraffic> of(const Plan& plan);

  // Returns the bytes that a program reads and writes. For kernels this is an upper bound: each operand is read once
  // and each result written once, without cache reuse between operators. For an instruction stream it is the sum of its
  // transfers.
  double bytes(uint32_t branch, uint32_t program, ChannelRange channels) const;

 private:
  // The operand bytes of an operator or of a branch.
  struct Operands {
    double read = 0;     // independent of the computed channels
    double divided = 0;  // constants and results, proportional to the computed channels
  };

  const Plan* plan_ = nullptr;
  std::vector<Operands> kernels_;                            // by branch
  std::map<std::pair<uint32_t, uint32_t>, double> streams_;  // by branch and program
};

}  // namespace nestrt::command
