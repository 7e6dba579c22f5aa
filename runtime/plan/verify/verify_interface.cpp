// SPDX-License-Identifier: Apache-2.0
// The interface of a plan: targets, inputs, outputs and preprocessing.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "runtime/plan/format/format.h"
#include "runtime/plan/format/image_channels.h"
#include "runtime/plan/verify/verify_parts.h"

namespace nestrt::plan_verify {
namespace {

// The inputs or the outputs. Each is plain, covers a separate buffer, and has a unique name.
class Interface {
 public:
  Interface(Context& context, std::string_view side, plan::BufferKind kind)
      : context_(context), side_(side), kind_(kind), owned_(context.plan.buffers.size(), false) {}

  Status add(uint32_t position, uint32_t tensor_index) {
    const auto fail = [&](std::string what) {
      return damaged_plan(
          fmt::format("{} {}, {}: {}", side_, position, tensor_name(context_.plan, tensor_index), what));
    };
    const auto& tensors = context_.plan.tensors;
    if (tensor_index >= tensors.size())
      return fail(fmt::format("does not exist: the plan has {} tensors", tensors.size()));
    const plan::Tensor& tensor = tensors[tensor_index];
    const plan::Buffer& buffer = context_.plan.buffers[tensor.buffer];
    if (buffer.kind != kind_) return fail(fmt::format("is in a buffer of kind {}", plan::name(buffer.kind)));
    if (tensor.layout != Layout::kPlain || tensor.quantization) return fail("must be plain and unquantized");
    if (tensor.offset != 0 || context_.extents[tensor_index].end != buffer.size)
      return fail(fmt::format("does not cover buffer {} of {} bytes", tensor.buffer, buffer.size));
    if (owned_[tensor.buffer]) return fail(fmt::format("buffer {} belongs to another {}", tensor.buffer, side_));
    owned_[tensor.buffer] = true;
    names_.push_back(tensor.name);
    return {};
  }

  // Checks that names are unique and that every buffer belongs to a tensor. Call after all tensors have been added.
  Status finish() {
    std::sort(names_.begin(), names_.end());
    if (const auto twin = std::adjacent_find(names_.begin(), names_.end()); twin != names_.end())
      return damaged_plan(fmt::format("two {}s are named '{}'", side_, *twin));
    const auto& buffers = context_.plan.buffers;
    for (uint32_t index = 0; index < buffers.size(); ++index) {
      if (buffers[index].kind == kind_ && !owned_[index])
        return damaged_plan(fmt::format("buffer {} is of kind {}, but does not belong to an {}", index, side_, side_));
    }
    return {};
  }

 private:
  Context& context_;
  std::string_view side_;
  plan::BufferKind kind_;
  std::vector<bool> owned_;
  std::vector<std::string_view> names_;
};

Status verify_preprocessing(const Preprocessing& preprocessing, const plan::Tensor& tensor) {
  if (tensor.shape.rank() != 4)
    return Status(Code::kInvalidPlan,
                  fmt::format("preprocessing needs an input of rank 4, not {}", tensor.shape.rank()));
  const int64_t channels = tensor.shape[image_channels_axis(tensor.shape)];
  if (channels < 1 || channels > 4)
    return Status(Code::kInvalidPlan, fmt::format("preprocessing needs 1 to 4 channels, not {}", channels));
  if (preprocessing.letterbox && preprocessing.resize > 0)
    return Status(Code::kInvalidPlan, "preprocessing both crops the image and resizes all of it");
  for (const std::vector<float>* values : {&preprocessing.mean, &preprocessing.scale}) {
    if (!values->empty() && values->size() != static_cast<size_t>(channels))
      return Status(Code::kInvalidPlan,
                    fmt::format("preprocessing has {} values for {} channels", values->size(), channels));
    for (float value : *values)
      if (!std::isfinite(value)) return Status(Code::kInvalidPlan, "a value of the preprocessing is not finite");
  }
  return {};
}

}  // namespace

Status verify_targets(Context& context) {
  using plan_format::kMaxClockMhz, plan_format::kMaxCost, plan_format::kMaxTargetBytes, plan_format::kMaxTargets;
  const auto& targets = context.plan.targets;
  if (targets.size() > kMaxTargets)
    return damaged_plan(fmt::format("the plan has {} targets, more than {}", targets.size(), kMaxTargets));
  for (uint32_t index = 0; index < targets.size(); ++index) {
    const plan::Target& target = targets[index];
    if (std::max(target.unit.size(), target.configuration.size()) > kMaxTargetBytes)
      return damaged_plan(
          fmt::format("target {}: has a unit name or configuration of more than {} bytes", index, kMaxTargetBytes));
    if (!(target.clock_mhz >= 0 && target.clock_mhz <= kMaxClockMhz))  // also rejects NaN
      return damaged_plan(fmt::format("target {}: invalid clock; expected 0 to {} MHz", index, kMaxClockMhz));
    if (!(target.widen_mb_per_s >= 0 && target.widen_mb_per_s <= kMaxCost))
      return damaged_plan(fmt::format("target {}: invalid widen_mb_per_s; expected 0 to {}", index, kMaxCost));
    if (!(target.launch_us >= 0 && target.launch_us <= kMaxCost))
      return damaged_plan(fmt::format("target {}: invalid launch_us; expected 0 to {}", index, kMaxCost));
  }
  return {};
}

Status verify_interface(Context& context) {
  const auto& inputs = context.plan.inputs;
  const auto& outputs = context.plan.outputs;
  if (outputs.size() == 0) return damaged_plan("the plan has no output");

  Interface all_inputs(context, "input", plan::BufferKind::kInput);
  for (uint32_t i = 0; i < inputs.size(); ++i) {
    const uint32_t tensor = inputs[i].tensor;
    NESTRT_RETURN_IF_ERROR(all_inputs.add(i, tensor));
    if (!inputs[i].preprocessing) continue;
    const Status status = verify_preprocessing(*inputs[i].preprocessing, context.plan.tensors[tensor]);
    if (!status.ok())
      return damaged_plan(fmt::format("input {}, {}: {}", i, tensor_name(context.plan, tensor), status.message()));
  }
  NESTRT_RETURN_IF_ERROR(all_inputs.finish());

  Interface all_outputs(context, "output", plan::BufferKind::kOutput);
  for (uint32_t i = 0; i < outputs.size(); ++i) NESTRT_RETURN_IF_ERROR(all_outputs.add(i, outputs[i]));
  return all_outputs.finish();
}

}  // namespace nestrt::plan_verify
