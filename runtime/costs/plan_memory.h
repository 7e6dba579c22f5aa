// PlanMemory: everything that the branches of a plan read and write, when they run one after the other in file order
// and nobody is interested in the results.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "nestrt/plan.h"
#include "nestrt/tensor.h"
#include "nestrt/unit.h"
#include "runtime/core/aligned_memory.h"

namespace nestrt {

class PlanMemory {
 public:
  // The arena, random inputs, outputs. The plan outlives it. Errors: kOutOfMemory.
  static Result<PlanMemory> create(const Plan& plan);

  // Makes room for an executable. Errors: kOutOfMemory.
  Status reserve_scratch(const Executable& executable);

  // Valid until the next reserve_scratch().
  Bindings bindings() const { return {buffers_, scratch_.data()}; }

 private:
  AlignedMemory arena_;
  AlignedMemory scratch_;
  std::vector<AlignedMemory> arguments_;
  std::vector<std::byte*> buffers_;  // by buffer of the plan
};

// f32 in [-1, 1], integers 0 or 1: legal for every operator, indices included. The same every time.
void fill_random(std::span<const TensorView> tensors);

}  // namespace nestrt
