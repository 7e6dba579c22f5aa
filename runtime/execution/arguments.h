// SPDX-License-Identifier: Apache-2.0
// Arguments: checks the arguments of Session::run. Allocates only on failure.
#pragma once

#include <span>
#include <vector>

#include "nestrt/plan.h"
#include "nestrt/status.h"
#include "nestrt/tensor.h"

namespace nestrt {

class Arguments {
 public:
  // Requires: the plan outlives this object.
  explicit Arguments(const Plan& plan);

  // Checks number, types, shapes, addresses and alignment, and that no output overlaps an input or another output.
  // Errors: kInvalidArgument; kOutOfMemory if the message cannot be allocated.
  Status check(std::span<const ConstTensorView> inputs, std::span<const TensorView> outputs);

 private:
  struct Range {
    uintptr_t begin = 0;
    uintptr_t end = 0;
    bool is_output = false;
    uint32_t position = 0;
  };

  Status check_all(std::span<const ConstTensorView> inputs, std::span<const TensorView> outputs);
  Status check_overlap(std::span<const ConstTensorView> inputs, std::span<const TensorView> outputs);
  void add_range(const ConstTensorView& view, bool is_output, size_t position);
  std::string describe(const Range& range) const;

  const Plan& plan_;
  std::vector<Range> ranges_;  // reserved once, reused by each check
};

}  // namespace nestrt
