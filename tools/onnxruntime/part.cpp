// SPDX-License-Identifier: Apache-2.0
#include "tools/onnxruntime/part.h"

#include <fmt/core.h>

#include <algorithm>

#include "runtime/platform/guard.h"
#include "tools/onnxruntime/errors.h"
#include "tools/onnxruntime/graph_view.h"

namespace nestrt::ort {
namespace {

// Returns the index in `names` of each tensor of the plan.
Result<std::vector<size_t>> positions(std::span<const TensorInfo> tensors, const std::vector<std::string>& names) {
  std::vector<size_t> result;
  for (const TensorInfo& tensor : tensors) {
    const auto found = std::ranges::find(names, tensor.name);
    if (found == names.end())
      return Status(Code::kInternal, fmt::format("ONNX Runtime's node has no operand '{}'", tensor.name));
    result.push_back(static_cast<size_t>(found - names.begin()));
  }
  return result;
}

Error* create_state(ComputeTable*, ComputeContext*, void** state) {
  *state = nullptr;
  return nullptr;
}

void release_state(ComputeTable*, void*) {}

}  // namespace

Part::Part(const Api& api, std::unique_ptr<Session> session) : api_(api), session_(std::move(session)) {
  table_.part = this;
  table_.create_state = create_state;
  table_.release_state = release_state;
  table_.compute = [](ComputeTable* table, void*, KernelContext* context) {
    Part* const part = of(table);
    return error_of(part->api_, guarded([&] { return part->run(context); }));
  };
}

Result<std::unique_ptr<Part>> Part::create(const Api& api, std::shared_ptr<const Plan> plan, const UnitList& units,
                                           const std::vector<std::string>& inputs,
                                           const std::vector<std::string>& outputs) {
  NESTRT_ASSIGN_OR_RETURN(auto session, Session::create(std::move(plan), units));
  std::unique_ptr<Part> part(new Part(api, std::move(session)));
  NESTRT_ASSIGN_OR_RETURN(part->inputs_, positions(part->session_->inputs(), inputs));
  NESTRT_ASSIGN_OR_RETURN(part->outputs_, positions(part->session_->outputs(), outputs));
  return part;
}

Status Part::run(KernelContext* context) {
  std::vector<ConstTensorView> inputs(inputs_.size());
  for (size_t i = 0; i < inputs.size(); ++i) {
    NESTRT_ASSIGN_OR_RETURN(inputs[i], input(context, i));
  }
  std::vector<TensorView> outputs(outputs_.size());
  for (size_t i = 0; i < outputs.size(); ++i) {
    NESTRT_ASSIGN_OR_RETURN(outputs[i], output(context, i));
  }
  return session_->run(inputs, outputs);
}

// If the size is wrong, Session::run() reports the expected and the actual size.
Result<ConstTensorView> Part::input(KernelContext* context, size_t index) const {
  const TensorInfo& info = session_->inputs()[index];
  const Value* value = nullptr;
  const void* data = nullptr;
  size_t bytes = 0;
  NESTRT_RETURN_IF_ERROR(status_of(api_, api_.kernel_context_get_input(context, inputs_[index], &value)));
  NESTRT_RETURN_IF_ERROR(status_of(api_, api_.get_tensor_data(value, &data)));
  NESTRT_RETURN_IF_ERROR(status_of(api_, api_.get_tensor_size_in_bytes(value, &bytes)));
  return ConstTensorView(info.type, info.shape, data, bytes);
}

Result<TensorView> Part::output(KernelContext* context, size_t index) const {
  const TensorInfo& info = session_->outputs()[index];
  Value* value = nullptr;
  void* data = nullptr;
  NESTRT_RETURN_IF_ERROR(
      status_of(api_, api_.kernel_context_get_output(context, outputs_[index], info.shape.begin(),
                                                     static_cast<size_t>(info.shape.rank()), &value)));
  NESTRT_RETURN_IF_ERROR(status_of(api_, api_.get_tensor_mutable_data(value, &data)));
  return TensorView{info.type, info.shape, data, info.size_bytes()};
}

}  // namespace nestrt::ort
