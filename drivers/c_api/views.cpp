// SPDX-License-Identifier: Apache-2.0
#include "drivers/c_api/views.h"

#include <fmt/core.h>

#include <algorithm>
#include <memory>

#include "drivers/c_api/call.h"

namespace nestrt::c_api {
namespace {

Status expect_bytes(std::string_view side, size_t index, const TensorInfo& info, size_t bytes) {
  if (bytes == info.size_bytes()) return {};
  return Status(Code::kInvalidArgument,
                fmt::format("{} {} '{}': expected {} bytes, got {}", side, index, info.name, info.size_bytes(), bytes));
}

}  // namespace

// Returns the first shape whose input sizes match. If none does, returns the plan itself, so that the error contains
// the expected sizes.
const Plan& Views::plan_for(const size_t* input_bytes) const {
  for (const std::shared_ptr<const Plan>& shape : plan_.shapes()) {
    const auto has_size = [&](const TensorInfo& info) {
      return info.size_bytes() == input_bytes[&info - shape->inputs().data()];
    };
    if (std::ranges::all_of(shape->inputs(), has_size)) return *shape;
  }
  return plan_;
}

Views::Views(const Plan& plan) : plan_(plan), inputs_(plan.inputs().size()), outputs_(plan.outputs().size()) {}

Status Views::set(const void* const* inputs, const size_t* input_bytes, void* const* outputs,
                  const size_t* output_bytes) {
  if (!inputs_.empty()) {
    NESTRT_RETURN_IF_ERROR(expect_argument(inputs, "inputs"));
    NESTRT_RETURN_IF_ERROR(expect_argument(input_bytes, "input_bytes"));
  }
  const Plan& plan = plan_for(input_bytes);
  for (size_t i = 0; i < inputs_.size(); ++i) {
    const TensorInfo& info = plan.inputs()[i];
    NESTRT_RETURN_IF_ERROR(expect_bytes("input", i, info, input_bytes[i]));
    inputs_[i] = {info.type, info.shape, inputs[i]};
  }
  return set_outputs(plan, outputs, output_bytes);
}

Status Views::set_outputs(const Plan& plan, void* const* outputs, const size_t* output_bytes) {
  NESTRT_RETURN_IF_ERROR(expect_argument(outputs, "outputs"));
  NESTRT_RETURN_IF_ERROR(expect_argument(output_bytes, "output_bytes"));
  for (size_t i = 0; i < outputs_.size(); ++i) {
    const TensorInfo& info = plan.outputs()[i];
    NESTRT_RETURN_IF_ERROR(expect_bytes("output", i, info, output_bytes[i]));
    outputs_[i] = {info.type, info.shape, outputs[i]};
  }
  return {};
}

}  // namespace nestrt::c_api
