// SPDX-License-Identifier: Apache-2.0
// A program with a known result that tests whether an accelerator works. It uses each of the three modules and each of
// their memory ports except the instruction port. It computes accumulators + inputs, using identity weights.
#pragma once

#include <cstddef>
#include <vector>

#include "drivers/evta/driver/bound_program.h"

namespace nestrt::evta {

class ProbeProgram {
 public:
  // `elements`: number of elements computed. If any operand reads as zero, the result differs.
  static Result<ProbeProgram> create(const Configuration& configuration, uint32_t elements = 1);

  // Returns the program, which refers to this object. Its result goes to buffer 0, the last range.
  BoundProgram bound_program() const;
  std::vector<std::byte> expected() const;

 private:
  explicit ProbeProgram(const Configuration& configuration, uint32_t elements);
  Status assemble(uint32_t elements);

  const Configuration* configuration_;
  std::vector<InstructionWord> instructions_;
  std::vector<std::byte> micro_op_;
  std::vector<int32_t> accumulators_;
  std::vector<int8_t> inputs_;
  std::vector<int8_t> weights_;
};

}  // namespace nestrt::evta
