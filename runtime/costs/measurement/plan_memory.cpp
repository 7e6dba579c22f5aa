// SPDX-License-Identifier: Apache-2.0
#include "runtime/costs/measurement/plan_memory.h"

#include <algorithm>

namespace nestrt {

Result<PlanMemory> PlanMemory::create(const Plan& plan, const UnitList& units) {
  PlanMemory memory;
  const plan::MemoryPlan& sequential = *memory_plan_for(plan.tables(), plan::MemoryPlanKind::kSequential);
  NESTRT_RETURN_IF_ERROR(memory.memory_.allocate(plan, sequential, units));
  // Kernels may read memory that nothing has written: the padding of blocked layouts.
  std::ranges::fill(memory.memory_.arena(), std::byte{0});
  NESTRT_ASSIGN_OR_RETURN(memory.inputs_, TensorSet::random(plan.inputs()));
  NESTRT_ASSIGN_OR_RETURN(memory.outputs_, TensorSet::create(plan.outputs()));
  memory.memory_.bind(memory.inputs_.const_views(), memory.outputs_.views());
  return memory;
}

Status PlanMemory::reserve_scratch(const Executable& executable) {
  if (executable.scratch_bytes() <= scratch_.size()) return {};
  NESTRT_ASSIGN_OR_RETURN(scratch_, AlignedMemory::allocate(executable.scratch_bytes(), "scratch memory"));
  return {};
}

}  // namespace nestrt
