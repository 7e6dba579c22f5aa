// SPDX-License-Identifier: Apache-2.0
// The scheduler of libnestrt (region analysis, costs and search) behind the runtime's interface.
#pragma once

#include "nestrt/driver/schedule.h"

namespace nestrt::scheduler {

// Returns a static object. Never fails.
const Scheduler& scheduler();

}  // namespace nestrt::scheduler
