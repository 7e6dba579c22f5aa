// SPDX-License-Identifier: Apache-2.0
// PlanMemory: all memory that a plan's branches access if they run one after another in file order and the results are
// discarded.
#pragma once

#include "nestrt/driver/unit.h"
#include "nestrt/plan.h"
#include "runtime/core/tensor_set.h"
#include "runtime/plan/queries/run_memory.h"
#include "runtime/platform/aligned_memory.h"

namespace nestrt {

class PlanMemory {
 public:
  // Allocates the arena (from one of the units if it has shared memory), random inputs, and outputs. The plan must
  // outlive this object. Errors: kOutOfMemory.
  static Result<PlanMemory> create(const Plan& plan, const UnitList& units);

  // Ensures enough scratch memory for an executable. Errors: kOutOfMemory.
  Status reserve_scratch(const Executable& executable);

  // Valid until the next reserve_scratch().
  Bindings bindings() const { return {memory_.buffers(), scratch_.data()}; }
  // Returns false if a unit that could not be stopped may write to the memory at any time.
  bool is_safe() const { return memory_.is_safe(); }

 private:
  RunMemory memory_;
  TensorSet inputs_, outputs_;
  AlignedMemory scratch_;
};

}  // namespace nestrt
