// PlanMemory: everything that the branches of a plan read and write, when they run one after the other in file order
// and nobody is interested in the results.
#pragma once

#include "nestrt/driver/unit.h"
#include "nestrt/plan.h"
#include "runtime/core/tensor_set.h"
#include "runtime/plan/queries/run_memory.h"
#include "runtime/platform/aligned_memory.h"

namespace nestrt {

class PlanMemory {
 public:
  // The arena, of one of the units where it lends one, random inputs, outputs. The plan outlives it. Errors:
  // kOutOfMemory.
  static Result<PlanMemory> create(const Plan& plan, const UnitList& units);

  // Makes room for an executable. Errors: kOutOfMemory.
  Status reserve_scratch(const Executable& executable);

  // Valid until the next reserve_scratch().
  Bindings bindings() const { return {memory_.buffers(), scratch_.data()}; }
  // False once a unit that could not be stopped may write to it at any time.
  bool is_safe() const { return memory_.is_safe(); }

 private:
  RunMemory memory_;
  TensorSet inputs_, outputs_;
  AlignedMemory scratch_;
};

}  // namespace nestrt
