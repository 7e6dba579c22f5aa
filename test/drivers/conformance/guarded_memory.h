// SPDX-License-Identifier: Apache-2.0
// GuardedMemory: the memory of one run, with each of the caller's buffers between guard bytes.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "nestrt/driver/unit.h"
#include "test/support/kernel/guarded_bytes.h"

namespace nestrt::test {

class GuardedMemory {
 public:
  // Allocates memory for a plan without an arena. Inputs contain arbitrary bytes, outputs kFill. Inputs and outputs
  // start `misalignment` bytes after a multiple of 64.
  GuardedMemory(const Plan& plan, size_t scratch_bytes, size_t misalignment = 0);
  GuardedMemory(const GuardedMemory&) = delete;

  Bindings bindings() { return {buffers_, scratch_.data()}; }
  std::span<std::byte> input() { return input_.bytes(); }
  std::span<std::byte> output() { return output_.bytes(); }
  // Returns whether the guards, the inputs and the plan are unchanged.
  bool is_intact() const;

  static constexpr std::byte kFill{0x55};

 private:
  const Plan& plan_;
  GuardedBytes input_, output_, scratch_;
  std::vector<std::byte*> buffers_;
  std::vector<std::byte> input_before_, plan_before_;
};

}  // namespace nestrt::test
