// SPDX-License-Identifier: Apache-2.0
// Compares two schedules by running them, because the costs of single operators do not predict those of concurrent
// ones.
#pragma once

#include "nestrt/plan.h"
#include "runtime/execution/executor.h"
#include "runtime/execution/prepared_schedule.h"
#include "runtime/plan/queries/run_memory.h"

namespace nestrt {

// Returns whether `a` is clearly faster than `b`, by the median ratio over alternating runs on random inputs (fewer if
// the runs are long). `memory` has an arena for both; its bindings are invalid afterwards.
// Errors: errors of the runs; kOutOfMemory, kUnavailable.
Result<bool> is_faster(const Plan& plan, PreparedSchedule& a, PreparedSchedule& b, RunMemory& memory,
                       const ExecutorOptions& options, UnitHealth& health);

}  // namespace nestrt
