// SPDX-License-Identifier: Apache-2.0
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

Status check_options(const FaultToleranceOptions& options) {
  if (options.unit_timeout <= milliseconds::zero())
    return must("FaultToleranceOptions::unit_timeout", "more than 0 ms");
  if (options.timeout_factor != 0 && !(options.timeout_factor >= 1 && options.timeout_factor <= 1e6))
    return must("FaultToleranceOptions::timeout_factor", "0, or 1 to 1,000,000");
  if (!is_within(options.timeout_slack, milliseconds(0), hours(24)))
    return must("FaultToleranceOptions::timeout_slack", "0 to 24 hours");
  if (!is_within(options.probe_interval, milliseconds(1), hours(24)))
    return must("FaultToleranceOptions::probe_interval", "1 ms to 24 hours");
  return {};
}

}  // namespace

Status check_options(const ScheduleOptions& options) {
  if (options.method > ScheduleMethod::kThroughput) return must("ScheduleOptions::method", "one of the enumerators");
  if (options.budget < std::chrono::microseconds::zero()) return must("ScheduleOptions::budget", "0 or more");
  const auto is_share = [](double share) { return std::isfinite(share) && share >= 0; };
  if (std::ranges::all_of(options.others, is_share)) return {};
  return must("ScheduleOptions::others", "fractions of the units' time, each 0 or more");
}

Status check_options(const SessionOptions& options) {
  NESTRT_RETURN_IF_ERROR(check_options(options.schedule));
  NESTRT_RETURN_IF_ERROR(check_options(options.fault_tolerance));
  const auto& [drift, kernels] = options.adaptation;
  if (options.costs.measure > Measuring::kBefore) return must("CostOptions::measure", "one of the enumerators");
  if (kernels > KernelChoice::kAnyBits) return must("AdaptationOptions::kernels", "one of the enumerators");
  if (!(drift >= 0)) return must("AdaptationOptions::drift", "0 or more");
  return {};
}

}  // namespace nestrt
