// SPDX-License-Identifier: Apache-2.0
// Checks of schedule and session options.
#pragma once

#include "nestrt/driver/schedule.h"
#include "nestrt/session.h"

namespace nestrt {

// Errors: kInvalidArgument, which names the invalid option.
Status check_options(const ScheduleOptions& options);
Status check_options(const SessionOptions& options);

}  // namespace nestrt
