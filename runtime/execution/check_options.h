// Whether options of schedules and sessions are some.
#pragma once

#include "nestrt/driver/schedule.h"
#include "nestrt/session.h"

namespace nestrt {

// kInvalidArgument with the name of the option that is none of its values.
Status check_options(const ScheduleOptions& options);
Status check_options(const SessionOptions& options);

}  // namespace nestrt
