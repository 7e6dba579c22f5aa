// A solution as the schedule that a session executes.
#pragma once

#include "scheduler/timeline.h"

namespace nestrt::scheduler {

// Only lanes that are used, and lane 0 of the host. Waits are those of the tasks' inputs and of after_previous, without
// those that others imply.
Schedule to_schedule(const Problem& problem, const Solution& solution);

}  // namespace nestrt::scheduler
