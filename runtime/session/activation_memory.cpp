// SPDX-License-Identifier: Apache-2.0
#include "runtime/session/activation_memory.h"

#include "nestrt/log.h"
#include "runtime/plan/verify/verify.h"

namespace nestrt {

Status ActivationMemory::allocate(bool is_file_order) {
  NESTRT_RETURN_IF_ERROR(find_memory_plan(is_file_order));
  return allocate_on(units_);
}

// Verifies the memory plan for any schedule, because loading a plan only does so with complete verification.
Status ActivationMemory::find_memory_plan(bool is_file_order) {
  const plan::Tables& tables = plan_.tables();
  memory_plan_ =
      memory_plan_for(tables, is_file_order ? plan::MemoryPlanKind::kSequential : plan::MemoryPlanKind::kAnySchedule);
  if (is_file_order) return {};
  if (memory_plan_ == nullptr)
    return Status(Code::kIncompatible, "the plan only has a memory plan for sequential branches; recompile the model");
  return verify_any_schedule(tables);
}

Status ActivationMemory::allocate_on(const UnitList& units) {
  NESTRT_RETURN_IF_ERROR(memory_.allocate(plan_, *memory_plan_, units));
  arena_bytes_.store(memory_.arena().size(), std::memory_order_relaxed);
  return executables_.bind(memory_.buffers());
}

Status ActivationMemory::move_to_host() {
  log(LogLevel::kWarning, "a unit failed and could not be stopped; the session moves its activations to host memory");
  return allocate_on({});
}

}  // namespace nestrt
