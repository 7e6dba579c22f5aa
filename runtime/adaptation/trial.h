// Which of two schedules is faster here, tried: what operators cost alone does not say how they get on side by side.
#pragma once

#include "nestrt/plan.h"
#include "runtime/execution/executor.h"
#include "runtime/execution/prepared_schedule.h"
#include "runtime/plan/queries/run_memory.h"

namespace nestrt {

// Whether `a` clearly takes less time than `b`: the median over some runs in turn, fewer where they take long, on
// inputs of random numbers. `memory` has the arena for both; what is bound to it is left dangling.
// Errors: those of the runs; kOutOfMemory, kUnavailable.
Result<bool> is_faster(const Plan& plan, PreparedSchedule& a, PreparedSchedule& b, RunMemory& memory,
                       const ExecutorOptions& options, UnitHealth& health);

}  // namespace nestrt
