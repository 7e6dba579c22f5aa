// A program whose result is known, to see whether an accelerator works: accumulators 0, 1, 2, ... plus one.
#pragma once

#include <cstddef>
#include <vector>

#include "drivers/evta/driver/bound_program.h"

namespace nestrt::evta {

class ProbeProgram {
 public:
  static Result<ProbeProgram> create(const Configuration& configuration);

  // Its result goes to buffer 0. Refers to this object.
  BoundProgram bound_program() const;
  std::vector<std::byte> expected() const;

 private:
  const Configuration* configuration_ = nullptr;
  std::vector<InstructionWord> instructions_;
  std::vector<std::byte> micro_op_;
  std::vector<int32_t> accumulators_;
};

}  // namespace nestrt::evta
