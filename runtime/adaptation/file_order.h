// SPDX-License-Identifier: Apache-2.0
// Schedules that need no costs: branches run sequentially, in the plan's order.
#pragma once

#include <span>

#include "nestrt/driver/schedule.h"

#include "nestrt/driver/unit.h"

namespace nestrt {

// Places every branch on the first accelerator with a program for the whole branch, otherwise on the host. Errors:
// kIncompatible if no unit can run a branch.
Result<Schedule> file_order_schedule(const Plan& plan, std::span<const UnitInfo> units);

}  // namespace nestrt
