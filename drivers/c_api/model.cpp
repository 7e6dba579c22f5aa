// SPDX-License-Identifier: Apache-2.0
// The model functions of the C API.
#include "nestrt/model.h"

#include <fmt/core.h>

#include <memory>
#include <vector>

#include "drivers/c_api/call.h"
#include "drivers/c_api/frame.h"
#include "drivers/c_api/plan.h"
#include "drivers/c_api/shared_units.h"
#include "nestrt/nestrt.h"
#include "runtime/platform/fork_origin.h"

struct nestrt_model {
  const nestrt::ForkOrigin origin;
  nestrt_plan plan;
  std::shared_ptr<const nestrt::UnitList> units;  // keeps them open for other sessions
  nestrt::Model model;
  std::span<const nestrt::ModelOutput> outputs = {};  // of the last run, if it succeeded
};

namespace {

using nestrt::Code;
using nestrt::ConstTensorView;
using nestrt::DataType;
using nestrt::ModelInput;
using nestrt::Plan;
using nestrt::Shape;
using nestrt::Status;
using nestrt::c_api::call;
using nestrt::c_api::expect_argument;

Status open(const char* path, const char* units, int32_t num_threads, nestrt_model** model) {
  NESTRT_RETURN_IF_ERROR(expect_argument(model, "model"));
  *model = nullptr;
  NESTRT_RETURN_IF_ERROR(expect_argument(path, "path"));
  NESTRT_ASSIGN_OR_RETURN(auto plan, Plan::map(path));
  NESTRT_ASSIGN_OR_RETURN(auto shared,
                          nestrt::c_api::shared_units(units != nullptr ? units : "cpu", {.num_threads = num_threads}));
  NESTRT_ASSIGN_OR_RETURN(auto made, nestrt::Model::create(plan, *shared));
  *model = new nestrt_model{{}, {std::move(plan)}, std::move(shared), std::move(made)};
  return {};
}

bool has_sizes(const Plan& plan, const size_t* input_bytes) {
  const auto infos = plan.inputs();
  for (size_t i = 0; i < infos.size(); ++i)
    if (infos[i].size_bytes() != input_bytes[i]) return false;
  return true;
}

// Returns the first shape whose input sizes match, or the plan itself if none does.
const Plan& shape_for(const Plan& plan, const size_t* input_bytes) {
  for (const auto& shape : plan.shapes())
    if (has_sizes(*shape, input_bytes)) return *shape;
  return plan;
}

Status run(nestrt_model& model, std::span<const ModelInput> inputs) {
  NESTRT_RETURN_IF_ERROR(model.origin.check("model"));
  model.outputs = {};
  NESTRT_ASSIGN_OR_RETURN(model.outputs, model.model.run(inputs));
  return {};
}

Status run_tensors(nestrt_model* model, const void* const* inputs, const size_t* input_bytes) {
  NESTRT_RETURN_IF_ERROR(expect_argument(model, "model"));
  if (model->model.inputs().empty()) return run(*model, {});
  NESTRT_RETURN_IF_ERROR(expect_argument(inputs, "inputs"));
  NESTRT_RETURN_IF_ERROR(expect_argument(input_bytes, "input_bytes"));
  const auto infos = shape_for(*model->plan.plan, input_bytes).inputs();
  std::vector<ModelInput> tensors;
  for (size_t i = 0; i < infos.size(); ++i) {
    NESTRT_RETURN_IF_ERROR(expect_argument(inputs[i], fmt::format("inputs[{}]", i)));
    if (infos[i].size_bytes() != input_bytes[i])
      return Status(Code::kInvalidArgument, fmt::format("input '{}' expects {} bytes, got {}", infos[i].name,
                                                        infos[i].size_bytes(), input_bytes[i]));
    tensors.emplace_back(ConstTensorView(infos[i].type, infos[i].shape, inputs[i], input_bytes[i]));
  }
  return run(*model, tensors);
}

Status run_image(nestrt_model* model, const uint8_t* pixels, int64_t height, int64_t width, int64_t channels,
                 int32_t order) {
  NESTRT_RETURN_IF_ERROR(expect_argument(model, "model"));
  NESTRT_RETURN_IF_ERROR(expect_argument(pixels, "pixels"));
  if (order != NESTRT_PIXELS_NHWC && order != NESTRT_PIXELS_NCHW)
    return Status(Code::kInvalidArgument,
                  fmt::format("unknown order {}; expected NESTRT_PIXELS_NHWC or NESTRT_PIXELS_NCHW", order));
  const Shape shape =
      order == NESTRT_PIXELS_NHWC ? Shape{1, height, width, channels} : Shape{1, channels, height, width};
  const ModelInput image(ConstTensorView(DataType::kU8, shape, pixels));
  return run(*model, {&image, 1});
}

Status run_frame(nestrt_model* model, nestrt_frame_format format, int64_t width, int64_t height,
                 const uint8_t* const* planes, const int64_t* row_bytes, const int64_t* crop) {
  NESTRT_RETURN_IF_ERROR(expect_argument(model, "model"));
  NESTRT_ASSIGN_OR_RETURN(const nestrt::Frame frame,
                          nestrt::c_api::frame_of(format, width, height, planes, row_bytes, crop));
  const ModelInput input(frame);
  return run(*model, {&input, 1});
}

}  // namespace

extern "C" {

nestrt_code nestrt_model_open(const char* path, const char* units, int32_t num_threads, nestrt_model** model) {
  return call([&] { return open(path, units, num_threads, model); });
}
void nestrt_model_free(nestrt_model* model) { delete model; }
const nestrt_plan* nestrt_model_plan(const nestrt_model* model) { return model != nullptr ? &model->plan : nullptr; }
nestrt_code nestrt_model_run(nestrt_model* model, const void* const* inputs, const size_t* input_bytes) {
  return call([&] { return run_tensors(model, inputs, input_bytes); });
}
nestrt_code nestrt_model_run_image(nestrt_model* model, const uint8_t* pixels, int64_t height, int64_t width,
                                   int64_t channels, int32_t order) {
  return call([&] { return run_image(model, pixels, height, width, channels, order); });
}
nestrt_code nestrt_model_run_frame(nestrt_model* model, nestrt_frame_format format, int64_t width, int64_t height,
                                   const uint8_t* const* planes, const int64_t* row_bytes, const int64_t* crop) {
  return call([&] { return run_frame(model, format, width, height, planes, row_bytes, crop); });
}
const void* nestrt_model_output(const nestrt_model* model, size_t index, size_t* bytes) {
  const bool exists = model != nullptr && index < model->outputs.size();
  if (bytes != nullptr) *bytes = exists ? model->outputs[index].size_bytes() : 0;
  return exists ? model->outputs[index].data : nullptr;
}

}  // extern "C"
