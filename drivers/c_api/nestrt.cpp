// SPDX-License-Identifier: Apache-2.0
#include "nestrt/nestrt.h"

#include <fmt/core.h>

#include <algorithm>
#include <memory>
#include <string>

#include "drivers/c_api/call.h"
#include "drivers/c_api/options.h"
#include "drivers/c_api/plan.h"
#include "drivers/c_api/shared_units.h"
#include "drivers/c_api/views.h"
#include "nestrt/driver/mutex.h"
#include "nestrt/log.h"
#include "nestrt/session.h"
#include "runtime/platform/fork_origin.h"
#include "runtime/platform/guard.h"
#include "runtime/text/escaped.h"

struct nestrt_session {
  nestrt_session(std::shared_ptr<const nestrt::UnitList> with, std::unique_ptr<nestrt::Session> made)
      : units(std::move(with)), session(std::move(made)), views(session->plan()) {}

  const nestrt::ForkOrigin origin;
  const std::shared_ptr<const nestrt::UnitList> units;  // keeps them open for other sessions
  const std::unique_ptr<nestrt::Session> session;
  nestrt::Mutex mutex;  // serializes runs, which fill `views`
  nestrt::c_api::Views views NESTRT_GUARDED_BY(mutex);
};

namespace {

using nestrt::Code;
using nestrt::Status;
using nestrt::TensorInfo;
using nestrt::c_api::call;
using nestrt::c_api::expect_argument;

static_assert(NESTRT_OK == static_cast<int>(Code::kOk) &&
              NESTRT_INVALID_ARGUMENT == static_cast<int>(Code::kInvalidArgument) &&
              NESTRT_NOT_FOUND == static_cast<int>(Code::kNotFound) &&
              NESTRT_INVALID_MODEL == static_cast<int>(Code::kInvalidModel) &&
              NESTRT_UNSUPPORTED == static_cast<int>(Code::kUnsupported) &&
              NESTRT_INVALID_PLAN == static_cast<int>(Code::kInvalidPlan) &&
              NESTRT_INCOMPATIBLE == static_cast<int>(Code::kIncompatible) &&
              NESTRT_OUT_OF_MEMORY == static_cast<int>(Code::kOutOfMemory) &&
              NESTRT_IO == static_cast<int>(Code::kIo) && NESTRT_UNAVAILABLE == static_cast<int>(Code::kUnavailable) &&
              NESTRT_DEADLINE_EXCEEDED == static_cast<int>(Code::kDeadlineExceeded) &&
              NESTRT_CANCELLED == static_cast<int>(Code::kCancelled) &&
              NESTRT_DEVICE_FAULT == static_cast<int>(Code::kDeviceFault) &&
              NESTRT_INTERNAL == static_cast<int>(Code::kInternal));
static_assert(NESTRT_LOG_DEBUG == static_cast<int>(nestrt::LogLevel::kDebug) &&
              NESTRT_LOG_INFO == static_cast<int>(nestrt::LogLevel::kInfo) &&
              NESTRT_LOG_WARNING == static_cast<int>(nestrt::LogLevel::kWarning) &&
              NESTRT_LOG_ERROR == static_cast<int>(nestrt::LogLevel::kError) &&
              NESTRT_LOG_OFF == static_cast<int>(nestrt::LogLevel::kOff));

std::span<const TensorInfo> inputs_of(const nestrt_session* session) {
  return session != nullptr ? session->session->inputs() : std::span<const TensorInfo>();
}
std::span<const TensorInfo> outputs_of(const nestrt_session* session) {
  return session != nullptr ? session->session->outputs() : std::span<const TensorInfo>();
}
std::span<const TensorInfo> inputs_of(const nestrt_plan* plan) {
  return plan != nullptr ? plan->plan->inputs() : std::span<const TensorInfo>();
}
std::span<const TensorInfo> outputs_of(const nestrt_plan* plan) {
  return plan != nullptr ? plan->plan->outputs() : std::span<const TensorInfo>();
}

const char* name_at(std::span<const TensorInfo> tensors, size_t index) {
  return index < tensors.size() ? tensors[index].name.c_str() : nullptr;
}
int32_t type_at(std::span<const TensorInfo> tensors, size_t index) {
  return index < tensors.size() ? static_cast<int32_t>(tensors[index].type) : -1;
}
size_t bytes_at(std::span<const TensorInfo> tensors, size_t index) {
  return index < tensors.size() ? tensors[index].size_bytes() : 0;
}
size_t shape_at(std::span<const TensorInfo> tensors, size_t index, int64_t* dims, size_t capacity) {
  if (index >= tensors.size()) return 0;
  const auto all = tensors[index].shape.dims();
  if (dims != nullptr) std::copy_n(all.begin(), std::min(capacity, all.size()), dims);
  return all.size();
}
int64_t find(std::span<const TensorInfo> tensors, const char* name) {
  if (name == nullptr) return -1;
  for (size_t i = 0; i < tensors.size(); ++i)
    if (tensors[i].name == name) return static_cast<int64_t>(i);
  return -1;
}

Status create(const nestrt_plan* plan, const char* units, int32_t num_threads, const nestrt_session_options* options,
              nestrt_session** session) {
  NESTRT_RETURN_IF_ERROR(expect_argument(session, "session"));
  *session = nullptr;
  NESTRT_RETURN_IF_ERROR(expect_argument(plan, "plan"));
  NESTRT_RETURN_IF_ERROR(expect_argument(options, "options"));
  NESTRT_ASSIGN_OR_RETURN(
      auto shared, nestrt::c_api::shared_units(units != nullptr ? units : "cpu", options->unit_options(num_threads)));
  NESTRT_ASSIGN_OR_RETURN(auto made, nestrt::Session::create(plan->plan, *shared, options->value));
  *session = new nestrt_session(std::move(shared), std::move(made));
  return {};
}

Status run(nestrt_session* session, const void* const* inputs, const size_t* input_bytes, void* const* outputs,
           const size_t* output_bytes, const nestrt_run_options* options) {
  NESTRT_RETURN_IF_ERROR(expect_argument(session, "session"));
  NESTRT_RETURN_IF_ERROR(expect_argument(options, "options"));
  const nestrt::RunOptions of_run = options->for_call_at(nestrt::SteadyClock::now());
  NESTRT_RETURN_IF_ERROR(session->origin.check("session"));
  const nestrt::MutexLock lock(session->mutex);
  NESTRT_RETURN_IF_ERROR(session->views.set(inputs, input_bytes, outputs, output_bytes));
  return session->session->run(session->views.inputs(), session->views.outputs(), of_run);
}

Status warm_up(nestrt_session* session) {
  NESTRT_RETURN_IF_ERROR(expect_argument(session, "session"));
  return session->session->warm_up();
}

Status cancel(nestrt_session* session) {
  NESTRT_RETURN_IF_ERROR(expect_argument(session, "session"));
  session->session->cancel();
  return {};
}

Status shape_of(const nestrt_plan* plan, size_t index, nestrt_plan** shape) {
  NESTRT_RETURN_IF_ERROR(expect_argument(shape, "shape"));
  *shape = nullptr;
  NESTRT_RETURN_IF_ERROR(expect_argument(plan, "plan"));
  const auto shapes = plan->plan->shapes();
  const size_t count = std::max<size_t>(shapes.size(), 1);
  if (index >= count)
    return Status(Code::kInvalidArgument,
                  fmt::format("shape index {} does not exist; number of shapes of the plan: {}", index, count));
  *shape = new nestrt_plan{shapes.empty() ? plan->plan : shapes[index]};
  return {};
}

Status set_log_level(nestrt_log_level level) {
  const int number = level;
  if (number < NESTRT_LOG_DEBUG || number > NESTRT_LOG_OFF)
    return Status(Code::kInvalidArgument,
                  fmt::format("invalid log level {}: expected NESTRT_LOG_DEBUG to NESTRT_LOG_OFF", number));
  nestrt::set_log_level(static_cast<nestrt::LogLevel>(number));
  return {};
}

Status set_log_hook(nestrt_log_hook hook, void* context) {
  if (hook == nullptr) {
    nestrt::set_log_hook({});
    return {};
  }
  nestrt::set_log_hook([hook, context](nestrt::LogLevel level, std::string_view message) {
    hook(context, static_cast<nestrt_log_level>(level), nestrt::escaped(message).c_str());
  });
  return {};
}

// Truncates the text before the first character that does not fit completely.
size_t copy_escaped(const char* text, char* buffer, size_t capacity) {
  size_t size = 0, kept = 0;
  for (; *text != '\0'; ++text) {
    const nestrt::EscapedByte byte(*text);
    size += byte.size;
    if (size >= capacity) continue;
    std::copy_n(byte.text.begin(), byte.size, buffer + kept);
    kept = size;
  }
  if (capacity > 0) buffer[kept] = '\0';
  return size;
}

}  // namespace

extern "C" {

const char* nestrt_version(void) { return NESTRT_VERSION; }
int32_t nestrt_abi_version(void) { return NESTRT_ABI_VERSION; }
const char* nestrt_last_error(void) { return nestrt::c_api::last_error().c_str(); }

nestrt_code nestrt_session_create(const nestrt_plan* plan, const char* units, int32_t num_threads,
                                  nestrt_session** session) {
  return call([&] {
    const nestrt_session_options defaults;
    return create(plan, units, num_threads, &defaults, session);
  });
}
void nestrt_session_free(nestrt_session* session) { delete session; }

size_t nestrt_session_num_inputs(const nestrt_session* session) { return inputs_of(session).size(); }
size_t nestrt_session_num_outputs(const nestrt_session* session) { return outputs_of(session).size(); }
const char* nestrt_session_input_name(const nestrt_session* session, size_t index) {
  return name_at(inputs_of(session), index);
}
const char* nestrt_session_output_name(const nestrt_session* session, size_t index) {
  return name_at(outputs_of(session), index);
}
int32_t nestrt_session_input_type(const nestrt_session* session, size_t index) {
  return type_at(inputs_of(session), index);
}
int32_t nestrt_session_output_type(const nestrt_session* session, size_t index) {
  return type_at(outputs_of(session), index);
}
size_t nestrt_session_input_bytes(const nestrt_session* session, size_t index) {
  return bytes_at(inputs_of(session), index);
}
size_t nestrt_session_output_bytes(const nestrt_session* session, size_t index) {
  return bytes_at(outputs_of(session), index);
}
size_t nestrt_session_input_shape(const nestrt_session* session, size_t index, int64_t* dims, size_t capacity) {
  return shape_at(inputs_of(session), index, dims, capacity);
}
size_t nestrt_session_output_shape(const nestrt_session* session, size_t index, int64_t* dims, size_t capacity) {
  return shape_at(outputs_of(session), index, dims, capacity);
}
int64_t nestrt_session_find_input(const nestrt_session* session, const char* name) {
  return find(inputs_of(session), name);
}
int64_t nestrt_session_find_output(const nestrt_session* session, const char* name) {
  return find(outputs_of(session), name);
}

nestrt_code nestrt_session_run(nestrt_session* session, const void* const* inputs, const size_t* input_bytes,
                               void* const* outputs, const size_t* output_bytes) {
  return call([&] {
    const nestrt_run_options defaults;
    return run(session, inputs, input_bytes, outputs, output_bytes, &defaults);
  });
}

nestrt_code nestrt_log_set_level(nestrt_log_level level) {
  return call([&] { return set_log_level(level); });
}
nestrt_code nestrt_log_set_hook(nestrt_log_hook hook, void* context) {
  return call([&] { return set_log_hook(hook, context); });
}

size_t nestrt_text_escape(const char* text, char* buffer, size_t capacity) {
  return copy_escaped(text != nullptr ? text : "", buffer, buffer != nullptr ? capacity : 0);
}

nestrt_code nestrt_session_create_with(const nestrt_plan* plan, const char* units, int32_t num_threads,
                                       const nestrt_session_options* options, nestrt_session** session) {
  return call([&] { return create(plan, units, num_threads, options, session); });
}

nestrt_code nestrt_session_run_with(nestrt_session* session, const void* const* inputs, const size_t* input_bytes,
                                    void* const* outputs, const size_t* output_bytes,
                                    const nestrt_run_options* options) {
  return call([&] { return run(session, inputs, input_bytes, outputs, output_bytes, options); });
}
nestrt_code nestrt_session_warm_up(nestrt_session* session) {
  return call([&] { return warm_up(session); });
}
nestrt_code nestrt_session_cancel(nestrt_session* session) {
  return call([&] { return cancel(session); });
}
uint64_t nestrt_session_num_host_fallbacks(const nestrt_session* session) {
  return session != nullptr ? session->session->num_host_fallbacks() : 0;
}
uint64_t nestrt_session_num_reschedules(const nestrt_session* session) {
  return session != nullptr ? session->session->num_reschedules() : 0;
}

size_t nestrt_plan_num_shapes(const nestrt_plan* plan) {
  return plan != nullptr ? std::max<size_t>(plan->plan->shapes().size(), 1) : 0;
}
nestrt_code nestrt_plan_shape(const nestrt_plan* plan, size_t index, nestrt_plan** shape) {
  return call([&] { return shape_of(plan, index, shape); });
}
size_t nestrt_plan_num_inputs(const nestrt_plan* plan) { return inputs_of(plan).size(); }
size_t nestrt_plan_num_outputs(const nestrt_plan* plan) { return outputs_of(plan).size(); }
const char* nestrt_plan_input_name(const nestrt_plan* plan, size_t index) { return name_at(inputs_of(plan), index); }
const char* nestrt_plan_output_name(const nestrt_plan* plan, size_t index) { return name_at(outputs_of(plan), index); }
int32_t nestrt_plan_input_type(const nestrt_plan* plan, size_t index) { return type_at(inputs_of(plan), index); }
int32_t nestrt_plan_output_type(const nestrt_plan* plan, size_t index) { return type_at(outputs_of(plan), index); }
size_t nestrt_plan_input_bytes(const nestrt_plan* plan, size_t index) { return bytes_at(inputs_of(plan), index); }
size_t nestrt_plan_output_bytes(const nestrt_plan* plan, size_t index) { return bytes_at(outputs_of(plan), index); }
size_t nestrt_plan_input_shape(const nestrt_plan* plan, size_t index, int64_t* dims, size_t capacity) {
  return shape_at(inputs_of(plan), index, dims, capacity);
}
size_t nestrt_plan_output_shape(const nestrt_plan* plan, size_t index, int64_t* dims, size_t capacity) {
  return shape_at(outputs_of(plan), index, dims, capacity);
}
int64_t nestrt_plan_find_input(const nestrt_plan* plan, const char* name) { return find(inputs_of(plan), name); }
int64_t nestrt_plan_find_output(const nestrt_plan* plan, const char* name) { return find(outputs_of(plan), name); }

}  // extern "C"
