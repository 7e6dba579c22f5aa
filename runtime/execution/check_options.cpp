#include "runtime/execution/check_options.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

namespace nestrt {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;

Status must(std::string_view option, std::string_view what) {
  return Status(Code::kInvalidArgument, fmt::format("{} must be {}", option, what));
}

bool is_within(milliseconds time, milliseconds least, milliseconds most) { return time >= least && time <= most; }

}  // namespace

Status check_options(const ScheduleOptions& options) {
  if (options.method > ScheduleMethod::kThroughput) return must("ScheduleOptions::method", "one of its values");
  if (options.budget < std::chrono::microseconds::zero()) return must("ScheduleOptions::budget", "0 or more");
  const auto is_share = [](double share) { return std::isfinite(share) && share >= 0; };
  if (std::ranges::all_of(options.others, is_share)) return {};
  return must("ScheduleOptions::others", "shares of the units' time, 0 or more for each");
}

Status check_options(const SessionOptions& options) {
  NESTRT_RETURN_IF_ERROR(check_options(options.schedule));
  if (options.measure > Measuring::kBefore) return must("SessionOptions::measure", "one of its values");
  if (options.kernels > KernelChoice::kAnyBits) return must("SessionOptions::kernels", "one of its values");
  if (options.unit_timeout <= milliseconds::zero()) return must("SessionOptions::unit_timeout", "more than no time");
  if (options.unit_limit_factor != 0 && !(options.unit_limit_factor >= 1 && options.unit_limit_factor <= 1e6))
    return must("SessionOptions::unit_limit_factor", "from 1 to a million, or 0");
  if (!is_within(options.unit_limit_slack, milliseconds(0), hours(24)))
    return must("SessionOptions::unit_limit_slack", "from nothing to a day");
  if (!is_within(options.probe_interval, milliseconds(1), hours(24)))
    return must("SessionOptions::probe_interval", "from a millisecond to a day");
  if (!(options.reschedule_drift >= 0)) return must("SessionOptions::reschedule_drift", "0 or more");
  return {};
}

}  // namespace nestrt
