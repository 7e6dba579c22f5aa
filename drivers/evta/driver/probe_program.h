// A program whose result is known, to see whether an accelerator works: each of its three modules, and each port by
// which they reach memory, but that of the instructions, takes part. Its accumulators become accumulators + inputs, by
// weights that are an identity.
#pragma once

#include <cstddef>
#include <vector>

#include "drivers/evta/driver/bound_program.h"

namespace nestrt::evta {

class ProbeProgram {
 public:
  // `elements`: how many it computes. Where any of what it reads is zero instead, the result is another.
  static Result<ProbeProgram> create(const Configuration& configuration, uint32_t elements = 1);

  // Its result goes to buffer 0, the last range. Refers to this object.
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
