// The schedule that needs no costs: branches one after the other, as the plan has them.
#pragma once

#include <span>

#include "nestrt/driver/schedule.h"

namespace nestrt {

// Every branch on the first unit beside the host that has a program for all of it, else on the host.
// Errors: kIncompatible where no unit has one.
Result<Schedule> file_order_schedule(const Plan& plan, std::span<const UnitInfo> units);

}  // namespace nestrt
