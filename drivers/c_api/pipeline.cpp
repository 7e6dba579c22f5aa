// SPDX-License-Identifier: Apache-2.0
// The pipeline functions of the C API.
#include <memory>
#include <vector>

#include "drivers/c_api/call.h"
#include "drivers/c_api/frame.h"
#include "drivers/c_api/options.h"
#include "drivers/c_api/plan.h"
#include "drivers/c_api/shared_units.h"
#include "drivers/c_api/views.h"
#include "nestrt/driver/mutex.h"
#include "nestrt/model_pipeline.h"
#include "runtime/platform/fork_origin.h"

struct nestrt_pipeline {
  nestrt_pipeline(std::shared_ptr<const nestrt::UnitList> with, nestrt::ModelPipeline made)
      : units(std::move(with)), pipeline(std::move(made)), views(pipeline.plan()) {}

  const nestrt::ForkOrigin origin;
  const std::shared_ptr<const nestrt::UnitList> units;  // keeps them open for other sessions
  nestrt::ModelPipeline pipeline;
  nestrt::Mutex mutex;  // serializes submissions, which fill their arguments
  nestrt::c_api::Views views NESTRT_GUARDED_BY(mutex);
  std::vector<nestrt::ModelInput> inputs NESTRT_GUARDED_BY(mutex);
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
  NESTRT_ASSIGN_OR_RETURN(auto made, nestrt::ModelPipeline::create(plan->plan, *shared, both));
  *pipeline = new nestrt_pipeline(std::move(shared), std::move(made));
  return {};
}

Status submit(nestrt_pipeline* pipeline, const void* const* inputs, const size_t* input_bytes, void* const* outputs,
              const size_t* output_bytes) {
  NESTRT_RETURN_IF_ERROR(expect_argument(pipeline, "pipeline"));
  NESTRT_RETURN_IF_ERROR(pipeline->origin.check("pipeline"));
  const nestrt::MutexLock lock(pipeline->mutex);
  NESTRT_RETURN_IF_ERROR(pipeline->views.set(inputs, input_bytes, outputs, output_bytes));
  pipeline->inputs.assign(pipeline->views.inputs().begin(), pipeline->views.inputs().end());
  return pipeline->pipeline.submit(pipeline->inputs, pipeline->views.outputs());
}

Status submit_frame(nestrt_pipeline* pipeline, nestrt_frame_format format, int64_t width, int64_t height,
                    const uint8_t* const* planes, const int64_t* row_bytes, const int64_t* crop, void* const* outputs,
                    const size_t* output_bytes) {
  NESTRT_RETURN_IF_ERROR(expect_argument(pipeline, "pipeline"));
  NESTRT_ASSIGN_OR_RETURN(const nestrt::Frame frame,
                          nestrt::c_api::frame_of(format, width, height, planes, row_bytes, crop));
  NESTRT_RETURN_IF_ERROR(pipeline->origin.check("pipeline"));
  const nestrt::MutexLock lock(pipeline->mutex);
  NESTRT_RETURN_IF_ERROR(pipeline->views.set_outputs(outputs, output_bytes));
  const nestrt::ModelInput input(frame);
  return pipeline->pipeline.submit({&input, 1}, pipeline->views.outputs());
}

Status next(nestrt_pipeline* pipeline) {
  NESTRT_RETURN_IF_ERROR(expect_argument(pipeline, "pipeline"));
  return pipeline->pipeline.next();
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
nestrt_code nestrt_pipeline_submit_frame(nestrt_pipeline* pipeline, nestrt_frame_format format, int64_t width,
                                         int64_t height, const uint8_t* const* planes, const int64_t* row_bytes,
                                         const int64_t* crop, void* const* outputs, const size_t* output_bytes) {
  return call(
      [&] { return submit_frame(pipeline, format, width, height, planes, row_bytes, crop, outputs, output_bytes); });
}
nestrt_code nestrt_pipeline_next(nestrt_pipeline* pipeline) {
  return call([&] { return next(pipeline); });
}

}  // extern "C"
