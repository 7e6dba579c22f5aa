// SPDX-License-Identifier: Apache-2.0
// The option functions of the C API, for sessions, runs and pipelines.
#include "drivers/c_api/options.h"

#include <fmt/core.h>

#include <chrono>
#include <cmath>
#include <memory>

#include "drivers/c_api/call.h"
#include "drivers/c_api/plan.h"

namespace {

using nestrt::Code;
using nestrt::KernelChoice;
using nestrt::Measuring;
using nestrt::ScheduleMethod;
using nestrt::SessionOptions;
using nestrt::Status;
using nestrt::c_api::call;
using nestrt::c_api::expect_argument;
using std::chrono::microseconds;
using std::chrono::milliseconds;

static_assert(NESTRT_SCHEDULE_FILE_ORDER == static_cast<int>(ScheduleMethod::kFileOrder) &&
              NESTRT_SCHEDULE_SEQUENTIAL == static_cast<int>(ScheduleMethod::kSequential) &&
              NESTRT_SCHEDULE_GROUP_ENUMERATION == static_cast<int>(ScheduleMethod::kGroupEnumeration) &&
              NESTRT_SCHEDULE_OPTIMUM == static_cast<int>(ScheduleMethod::kOptimum) &&
              NESTRT_SCHEDULE_THROUGHPUT == static_cast<int>(ScheduleMethod::kThroughput));

static_assert(NESTRT_MEASURE_NEVER == static_cast<int>(Measuring::kNever) &&
              NESTRT_MEASURE_IN_RUNS == static_cast<int>(Measuring::kInRuns) &&
              NESTRT_MEASURE_BEFORE == static_cast<int>(Measuring::kBefore));

static_assert(NESTRT_KERNELS_COMPILER == static_cast<int>(KernelChoice::kCompiler) &&
              NESTRT_KERNELS_SAME_BITS == static_cast<int>(KernelChoice::kSameBits) &&
              NESTRT_KERNELS_ANY_BITS == static_cast<int>(KernelChoice::kAnyBits));

constexpr int64_t kDayMs = 24 * 3600 * 1000;

template <typename Options>
Status create(Options** options) {
  NESTRT_RETURN_IF_ERROR(expect_argument(options, "options"));
  *options = nullptr;
  *options = std::make_unique<Options>().release();
  return {};
}

Status create_for_session(nestrt_session_options** options) {
  NESTRT_RETURN_IF_ERROR(create(options));
  std::unique_ptr<nestrt_session_options> made(*options);
  *options = nullptr;
  made->value.trusted_keys.reserve(1);  // adding the first key, which enables the check, must not fail
  *options = made.release();
  return {};
}

Status expect_range(std::string_view name, int64_t value, int64_t least, int64_t most) {
  if (value >= least && value <= most) return {};
  return Status(Code::kInvalidArgument, fmt::format("{} is {}; expected {} to {}", name, value, least, most));
}

Status set_kernels(SessionOptions& options, int32_t kernels) {
  NESTRT_RETURN_IF_ERROR(expect_range("kernels", kernels, NESTRT_KERNELS_COMPILER, NESTRT_KERNELS_ANY_BITS));
  options.adaptation.kernels = static_cast<KernelChoice>(kernels);
  return {};
}

Status set_measure(SessionOptions& options, int32_t measure) {
  NESTRT_RETURN_IF_ERROR(expect_range("measure", measure, NESTRT_MEASURE_NEVER, NESTRT_MEASURE_BEFORE));
  options.costs.measure = static_cast<Measuring>(measure);
  return {};
}

// Applies `set` to the C++ SessionOptions.
template <typename Set>
nestrt_code change(nestrt_session_options* options, Set set) {
  return call([&]() -> Status {
    NESTRT_RETURN_IF_ERROR(expect_argument(options, "options"));
    return set(options->value);
  });
}

Status set_schedule_method(nestrt::SessionOptions& options, nestrt_schedule_method method) {
  if (method < NESTRT_SCHEDULE_FILE_ORDER || method > NESTRT_SCHEDULE_THROUGHPUT)
    return Status(
        Code::kInvalidArgument,
        fmt::format("unknown schedule_method {}; expected NESTRT_SCHEDULE_FILE_ORDER to NESTRT_SCHEDULE_THROUGHPUT",
                    method));
  options.schedule.method = static_cast<ScheduleMethod>(method);
  return {};
}

Status set_schedule_budget(nestrt::SessionOptions& options, int64_t budget_us) {
  NESTRT_RETURN_IF_ERROR(expect_range("schedule_budget (us)", budget_us, 0, kDayMs * 1000));
  options.schedule.budget = microseconds(budget_us);
  return {};
}

Status set_drift(nestrt::SessionOptions& options, double drift) {
  if (!(std::isfinite(drift) && drift >= 0))
    return Status(Code::kInvalidArgument, fmt::format("drift is {}; expected 0 or more", drift));
  options.adaptation.drift = drift;
  return {};
}

Status set_unit_timeout(nestrt::SessionOptions& options, int64_t timeout_ms) {
  NESTRT_RETURN_IF_ERROR(expect_range("unit_timeout (ms)", timeout_ms, 1, kDayMs));
  options.fault_tolerance.unit_timeout = milliseconds(timeout_ms);
  return {};
}

Status set_unit_timeout_factor(nestrt::SessionOptions& options, double factor, int64_t slack_ms) {
  if (factor != 0 && !(factor >= 1 && factor <= 1e6))
    return Status(Code::kInvalidArgument,
                  fmt::format("unit_timeout_factor is {}; expected 1 to 1,000,000, or 0 to disable the limit", factor));
  NESTRT_RETURN_IF_ERROR(expect_range("unit_timeout_factor: slack (ms)", slack_ms, 0, kDayMs));
  options.fault_tolerance.timeout_factor = factor;
  options.fault_tolerance.timeout_slack = milliseconds(slack_ms);
  return {};
}

Status set_probe_interval(nestrt::SessionOptions& options, int64_t interval_ms) {
  NESTRT_RETURN_IF_ERROR(expect_range("probe_interval (ms)", interval_ms, 1, kDayMs));
  options.fault_tolerance.probe_interval = milliseconds(interval_ms);
  return {};
}

Status set_timeout(nestrt_run_options* options, int64_t timeout_us) {
  NESTRT_RETURN_IF_ERROR(expect_argument(options, "options"));
  NESTRT_RETURN_IF_ERROR(expect_range("timeout (us)", timeout_us, 0, INT64_MAX));
  options->timeout_us = timeout_us;
  return {};
}

constexpr int32_t kMaxInferences = 1024;  // the limit documented for PipelineOptions

Status set_inferences(nestrt_pipeline_options* options, std::string_view name, int nestrt::PipelineOptions::*field,
                      int32_t inferences) {
  NESTRT_RETURN_IF_ERROR(expect_argument(options, "options"));
  NESTRT_RETURN_IF_ERROR(expect_range(name, inferences, 0, kMaxInferences));
  options->value.*field = inferences;
  return {};
}

}  // namespace

nestrt::RunOptions nestrt_run_options::for_call_at(nestrt::SteadyClock::time_point call) const {
  const auto most = std::chrono::duration_cast<microseconds>(nestrt::kNoDeadline - call).count();
  return {timeout_us < most ? call + microseconds(timeout_us) : nestrt::kNoDeadline};
}

extern "C" {

nestrt_code nestrt_session_options_create(nestrt_session_options** options) {
  return call([&] { return create_for_session(options); });
}
void nestrt_session_options_free(nestrt_session_options* options) { delete options; }
nestrt_code nestrt_session_options_add_trusted_key(nestrt_session_options* options, const uint8_t* key) {
  return call([&] { return nestrt::c_api::add_trusted_key(options, key); });
}
nestrt_code nestrt_session_options_set_schedule_method(nestrt_session_options* options, nestrt_schedule_method method) {
  return change(options, [&](auto& value) { return set_schedule_method(value, method); });
}
nestrt_code nestrt_session_options_set_split_channels(nestrt_session_options* options, int32_t split) {
  return change(options, [&](auto& value) { return value.schedule.split_channels = split != 0, Status(); });
}
nestrt_code nestrt_session_options_set_share_cores(nestrt_session_options* options, int32_t share) {
  return change(options, [&](auto& value) { return value.schedule.share_cores = share != 0, Status(); });
}
nestrt_code nestrt_session_options_set_schedule_budget(nestrt_session_options* options, int64_t microseconds) {
  return change(options, [&](auto& value) { return set_schedule_budget(value, microseconds); });
}
nestrt_code nestrt_session_options_set_measure(nestrt_session_options* options, int32_t measure) {
  return change(options, [&](auto& value) { return set_measure(value, measure); });
}
nestrt_code nestrt_session_options_set_cost_file(nestrt_session_options* options, const char* path) {
  return change(options, [&](auto& value) { return value.costs.file = path != nullptr ? path : "", Status(); });
}
nestrt_code nestrt_session_options_set_keep_costs(nestrt_session_options* options, int32_t keep) {
  return change(options, [&](auto& value) { return value.costs.keep = keep != 0, Status(); });
}
nestrt_code nestrt_session_options_set_drift(nestrt_session_options* options, double drift) {
  return change(options, [&](auto& value) { return set_drift(value, drift); });
}
nestrt_code nestrt_session_options_set_unit_timeout(nestrt_session_options* options, int64_t milliseconds) {
  return change(options, [&](auto& value) { return set_unit_timeout(value, milliseconds); });
}
nestrt_code nestrt_session_options_set_unit_timeout_factor(nestrt_session_options* options, double factor,
                                                           int64_t slack_milliseconds) {
  return change(options, [&](auto& value) { return set_unit_timeout_factor(value, factor, slack_milliseconds); });
}
nestrt_code nestrt_session_options_set_probe_interval(nestrt_session_options* options, int64_t milliseconds) {
  return change(options, [&](auto& value) { return set_probe_interval(value, milliseconds); });
}
nestrt_code nestrt_session_options_set_check_every(nestrt_session_options* options, uint32_t runs) {
  return change(options, [&](auto& value) { return value.fault_tolerance.check_every = runs, Status(); });
}
nestrt_code nestrt_session_options_set_kernels(nestrt_session_options* options, int32_t kernels) {
  return change(options, [&](auto& value) { return set_kernels(value, kernels); });
}
nestrt_code nestrt_session_options_set_urgent(nestrt_session_options* options, int32_t urgent) {
  return change(options, [&](auto& value) { return value.urgent = urgent != 0, Status(); });
}
nestrt_code nestrt_session_options_set_plugin(nestrt_session_options* options, const char* path) {
  return change(options, [&](auto&) { return options->plugin = path != nullptr ? path : "", Status(); });
}
nestrt_code nestrt_session_options_set_isolate(nestrt_session_options* options, int32_t isolate) {
  return change(options, [&](auto&) { return options->isolate = isolate != 0, Status(); });
}

nestrt_code nestrt_run_options_create(nestrt_run_options** options) {
  return call([&] { return create(options); });
}
void nestrt_run_options_free(nestrt_run_options* options) { delete options; }
nestrt_code nestrt_run_options_set_timeout(nestrt_run_options* options, int64_t microseconds) {
  return call([&] { return set_timeout(options, microseconds); });
}

nestrt_code nestrt_pipeline_options_create(nestrt_pipeline_options** options) {
  return call([&] { return create(options); });
}
void nestrt_pipeline_options_free(nestrt_pipeline_options* options) { delete options; }
nestrt_code nestrt_pipeline_options_set_in_flight(nestrt_pipeline_options* options, int32_t inferences) {
  return call([&] { return set_inferences(options, "in_flight", &nestrt::PipelineOptions::in_flight, inferences); });
}
nestrt_code nestrt_pipeline_options_set_waiting(nestrt_pipeline_options* options, int32_t inferences) {
  return call([&] { return set_inferences(options, "waiting", &nestrt::PipelineOptions::waiting, inferences); });
}

}  // extern "C"
