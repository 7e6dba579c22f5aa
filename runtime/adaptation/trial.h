// SPDX-License-Identifier: Apache-2.0
// Compares two schedules by running them, because the costs of single operators do not predict concurrent ones.
#pragma once

#include "nestrt/plan.h"
#include "runtime/execution/executor.h"
#include "runtime/execution/prepared_schedule.h"
#include "runtime/plan/queries/run_memory.h"

namespace nestrt {

// Returns whether `a` clearly takes less time than `b`: by the median ratio over alternating runs on random inputs,
// fewer runs if they are long. `memory` has an arena for both; its bindings are invalid afterwards.
// Errors: those of the runs; kOutOfMemory, kUnavailable.
Result<bool> is_faster(const Plan& plan, PreparedSchedule& a, PreparedSchedule& b, RunMemory& memory,
                       const ExecutorOptions& options, UnitHealth& health);

}  // namespace nestrt
