// SPDX-License-Identifier: Apache-2.0
// The pipeline functions of the C API.
#include "nestrt/pipeline.h"

#include <memory>

#include "drivers/c_api/call.h"
#include "drivers/c_api/options.h"
#include "drivers/c_api/plan.h"
#include "drivers/c_api/shared_units.h"
#include "drivers/c_api/views.h"
#include "nestrt/driver/mutex.h"
#include "runtime/platform/fork_origin.h"

struct nestrt_pipeline {
  nestrt_pipeline(std::shared_ptr<const nestrt::UnitList> with, std::unique_ptr<nestrt::Pipeline> made)
      : units(std::move(with)), pipeline(std::move(made)), views(pipeline->plan()) {}

  const nestrt::ForkOrigin origin;
  const std::shared_ptr<const nestrt::UnitList> units;  // keeps them open for other sessions
  const std::unique_ptr<nestrt::Pipeline> pipeline;
  nestrt::Mutex mutex;  // serializes submissions, which fill their arguments
  nestrt::c_api::Views views NESTRT_GUARDED_BY(mutex);
};

namespace {

using nestrt::Status;
using nestrt::c_api::call;
using nestrt::c_api::expect_argument;

Status create(const nestrt_plan* plan, const char* units, int32_t num_threads, const nestrt_session_options* session,
              const nestrt_pipeline_options* options, nestrt_pipeline** pipeline) {
  NESTRT_RETURN_IF_ERROR(expect_argument(pipeline, "pipeline"));
  *pipeline = nullptr;
  NESTRT_RETURN_IF_ERROR(expect_argument(plan, "plan"));
  NESTRT_RETURN_IF_ERROR(expect_argument(session, "session_options"));
  NESTRT_RETURN_IF_ERROR(expect_argument(options, "options"));
  NESTRT_ASSIGN_OR_RETURN(
      auto shared, nestrt::c_api::shared_units(units != nullptr ? units : "cpu", session->unit_options(num_threads)));
  nestrt::PipelineOptions both = options->value;
  both.session = session->value;
  NESTRT_ASSIGN_OR_RETURN(auto made, nestrt::Pipeline::create(plan->plan, *shared, both));
  *pipeline = new nestrt_pipeline(std::move(shared), std::move(made));
  return {};
}

Status submit(nestrt_pipeline* pipeline, const void* const* inputs, const size_t* input_bytes, void* const* outputs,
              const size_t* output_bytes) {
  NESTRT_RETURN_IF_ERROR(expect_argument(pipeline, "pipeline"));
  NESTRT_RETURN_IF_ERROR(pipeline->origin.check("pipeline"));
  const nestrt::MutexLock lock(pipeline->mutex);
  NESTRT_RETURN_IF_ERROR(pipeline->views.set(inputs, input_bytes, outputs, output_bytes));
  pipeline->pipeline->submit(pipeline->views.inputs(), pipeline->views.outputs());
  return {};
}

Status next(nestrt_pipeline* pipeline) {
  NESTRT_RETURN_IF_ERROR(expect_argument(pipeline, "pipeline"));
  return pipeline->pipeline->next();
}

}  // namespace

extern "C" {

nestrt_code nestrt_pipeline_create(const nestrt_plan* plan, const char* units, int32_t num_threads,
                                   const nestrt_session_options* session_options,
                                   const nestrt_pipeline_options* options, nestrt_pipeline** pipeline) {
  return call([&] { return create(plan, units, num_threads, session_options, options, pipeline); });
}
void nestrt_pipeline_free(nestrt_pipeline* pipeline) { delete pipeline; }
nestrt_code nestrt_pipeline_submit(nestrt_pipeline* pipeline, const void* const* inputs, const size_t* input_bytes,
                                   void* const* outputs, const size_t* output_bytes) {
  return call([&] { return submit(pipeline, inputs, input_bytes, outputs, output_bytes); });
}
nestrt_code nestrt_pipeline_next(nestrt_pipeline* pipeline) {
  return call([&] { return next(pipeline); });
}

}  // extern "C"
