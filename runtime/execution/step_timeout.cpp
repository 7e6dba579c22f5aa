// SPDX-License-Identifier: Apache-2.0
#include "runtime/execution/step_timeout.h"

#include <algorithm>

namespace nestrt {
namespace {

using Microseconds = std::chrono::duration<double, std::micro>;

// Margin for cold caches and for other work on the host's cores.
constexpr double kHostFactor = 1.5;
// Deadlines farther away than this are ignored.
constexpr std::chrono::hours kFar{24};
// Time to stop a unit and to wake the waiting thread.
constexpr Microseconds kStopTime{500};

std::chrono::nanoseconds limit_of(double unit_us, const UnitLimits& limits) {
  if (limits.factor == 0 || unit_us == 0) return std::chrono::nanoseconds::max();
  const Microseconds limit = Microseconds(limits.factor * unit_us) + limits.slack;
  if (limit >= Microseconds(limits.timeout)) return std::chrono::nanoseconds::max();
  return std::chrono::duration_cast<std::chrono::nanoseconds>(limit);
}

// Returns the time reserved for the host after the unit: half of the time left if the host's time is unknown.
Microseconds host_share(const StepTimes& times, Microseconds left) {
  if (times.host_us == 0) return left / 2;
  return Microseconds((times.host_us + times.rest_us) * kHostFactor) + kStopTime;
}

}  // namespace

StepTimeout step_timeout(const StepTimes& times, const UnitLimits& limits, SteadyClock::time_point now,
                         Deadline run_deadline) {
  StepTimeout timeout;
  timeout.limit = limit_of(times.unit_us, limits);
  timeout.deadline = run_deadline;
  if (run_deadline > now + kFar) return timeout;
  const Microseconds left = run_deadline > now ? Microseconds(run_deadline - now) : Microseconds(0);
  const Microseconds spare = left - host_share(times, left);
  timeout.host_is_in_time = times.host_us > 0 && Microseconds(times.host_us + times.rest_us) < left;
  const double unit_us = std::max(times.unit_us, times.predicted_us);
  timeout.unit_is_in_time = Microseconds(unit_us + times.rest_us) <= left;
  timeout.is_protected = spare > Microseconds(0) && spare >= Microseconds(unit_us);
  if (timeout.is_protected) timeout.deadline = now + std::chrono::duration_cast<SteadyClock::duration>(spare);
  return timeout;
}

}  // namespace nestrt
