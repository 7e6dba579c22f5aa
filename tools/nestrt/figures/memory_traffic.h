// What the programs of a plan move from and to memory.
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
  // Errors: kInvalidPlan: an instruction stream that is none.
  static Result<MemoryTraffic> of(const Plan& plan);

  // Kernels read their operands and write their results once, as if no cache kept anything from one operator to the
  // next: at most what they move. An instruction stream moves what its transfers say.
  double bytes(uint32_t branch, uint32_t program, ChannelRange channels) const;

 private:
  // Of an operator, or those of a branch together.
  struct Operands {
    double read = 0;     // whatever channels it computes
    double divided = 0;  // constants and results: as many as the channels that it computes
  };

  const Plan* plan_ = nullptr;
  std::vector<Operands> kernels_;                            // by branch
  std::map<std::pair<uint32_t, uint32_t>, double> streams_;  // by branch and program
};

}  // namespace nestrt::command
