// SPDX-License-Identifier: Apache-2.0
// Deadline: the point in time by which an operation must complete.
#pragma once

#include <chrono>

#include "nestrt/visibility.h"

namespace NESTRT_PUBLIC nestrt {

// The clock for deadlines and measurements, a point in time on it, and a deadline that never expires.
using SteadyClock = std::chrono::steady_clock;
using Deadline = SteadyClock::time_point;
inline constexpr Deadline kNoDeadline = Deadline::max();

}  // namespace nestrt
