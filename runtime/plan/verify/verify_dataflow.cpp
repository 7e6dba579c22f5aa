// SPDX-License-Identifier: Apache-2.0
// Dataflow: operands exist, every tensor is defined once and before it is read, and operators write only to buffers
// that they may write.
#include <fmt/core.h>

#include "runtime/plan/queries/views.h"
#include "runtime/plan/verify/verify_parts.h"

namespace nestrt::plan_verify {
namespace {

constexpr uint32_t kMaxOutputs = 64;

class Dataflow {
 public:
  explicit Dataflow(Context& context)
      : context_(context), tensors_(context.plan.tensors), available_(tensors_.size(), false) {
    for (uint32_t i = 0; i < tensors_.size(); ++i) available_[i] = kind_of(i) == plan::BufferKind::kConstant;
    for (const plan::Input& input : context.plan.inputs) available_[input.tensor] = true;
  }

  Status add(uint32_t index) {
    const plan::Operator& op = context_.plan.operators[index];
    for (int32_t tensor : op.inputs) NESTRT_RETURN_IF_ERROR(check_input(index, tensor));
    const auto& outputs = op.outputs;
    if (outputs.size() == 0 || outputs.size() > kMaxOutputs)
      return fail(index, fmt::format("has {} outputs", outputs.size()));
    for (int32_t tensor : outputs) NESTRT_RETURN_IF_ERROR(check_output(index, tensor));
    NESTRT_RETURN_IF_ERROR(verify_aliasing(context_, index));
    context_.views.push_back(is_view(context_.plan, op));
    return context_.views.back() ? Status() : check_writes(index, outputs);
  }

  Status finish() const {
    for (uint32_t tensor : context_.plan.outputs) {
      if (!available_[tensor])
        return damaged_plan(fmt::format("output {}: no operator computes it", tensor_name(context_.plan, tensor)));
    }
    return {};
  }

 private:
  Status fail(uint32_t index, std::string what) const {
    return damaged_plan(fmt::format("{}: {}", operator_name(context_.plan, index), what));
  }

  plan::BufferKind kind_of(uint32_t tensor) const { return context_.plan.buffers[tensors_[tensor].buffer].kind; }

  bool exists(int32_t tensor) const { return tensor >= 0 && static_cast<uint32_t>(tensor) < tensors_.size(); }

  Status check_input(uint32_t index, int32_t tensor) const {
    if (tensor == -1) return {};
    if (!exists(tensor))
      return fail(index, fmt::format("input tensor {} does not exist: the plan has {}", tensor, tensors_.size()));
    if (!available_[static_cast<uint32_t>(tensor)])
      return fail(index, fmt::format("reads {}, which no earlier operator computes",
                                     tensor_name(context_.plan, static_cast<uint32_t>(tensor))));
    return {};
  }

  Status check_output(uint32_t index, int32_t tensor) {
    if (!exists(tensor))
      return fail(index, fmt::format("output tensor {} does not exist: the plan has {}", tensor, tensors_.size()));
    const auto at = static_cast<uint32_t>(tensor);
    if (available_[at] && kind_of(at) != plan::BufferKind::kConstant)
      return fail(index, fmt::format("computes {}, which already has a value", tensor_name(context_.plan, at)));
    available_[at] = true;
    return {};
  }

  Status check_writes(uint32_t index, const std::vector<int32_t>& outputs) const {
    for (int32_t tensor : outputs) {
      const auto at = static_cast<uint32_t>(tensor);
      if (kind_of(at) == plan::BufferKind::kConstant || kind_of(at) == plan::BufferKind::kInput)
        return fail(index, fmt::format("writes {}, which is in a buffer of kind {}", tensor_name(context_.plan, at),
                                       plan::name(kind_of(at))));
    }
    return {};
  }

  Context& context_;
  const std::vector<plan::Tensor>& tensors_;
  std::vector<bool> available_;  // per tensor: it has a value before the next operator
};

}  // namespace

Status verify_dataflow(Context& context) {
  Dataflow dataflow(context);
  for (uint32_t index = 0; index < context.plan.operators.size(); ++index) NESTRT_RETURN_IF_ERROR(dataflow.add(index));
  return dataflow.finish();
}

}  // namespace nestrt::plan_verify
