// SPDX-License-Identifier: Apache-2.0
#include "drivers/model/input_binder.h"

#include <fmt/core.h>

#include <algorithm>

#include "drivers/model/image_frames.h"

namespace nestrt {
namespace {

Status wrong_input(const std::string& message) { return Status(Code::kInvalidArgument, message); }

Status expect_bytes(const TensorInfo& info, size_t expected, size_t actual) {
  if (actual == expected || actual == SIZE_MAX) return {};
  return wrong_input(fmt::format("input '{}' ({} {}) expects {} bytes, got {}", info.name, name(info.type),
                                 info.shape.to_string(), expected, actual));
}

Result<size_t> index_of(std::span<const TensorInfo> infos, const ModelInput& input, size_t position) {
  if (input.name().empty()) return position;
  const auto found = std::ranges::find(infos, input.name(), &TensorInfo::name);
  if (found != infos.end()) return static_cast<size_t>(found - infos.begin());
  std::string names;
  for (const TensorInfo& info : infos) names += (names.empty() ? "'" : ", '") + info.name + "'";
  return wrong_input(fmt::format("unknown input '{}'; available: {}", input.name(), names));
}

}  // namespace

Status InputBinder::bind(std::span<const ModelInput* const> inputs) {
  bound_.views.resize(inputs.size());
  bound_.converted.resize(inputs.size());
  for (size_t i = 0; i < inputs.size(); ++i) {
    NESTRT_RETURN_IF_ERROR(bind_input(i, *inputs[i]));
    const TensorInfo& info = plan_.inputs()[i];
    if (bound_.views[i].shape != info.shape)
      return wrong_input(fmt::format("input '{}' expects shape {}, got {}", info.name, info.shape.to_string(),
                                     bound_.views[i].shape.to_string()));
  }
  return {};
}

Status InputBinder::bind_input(size_t index, const ModelInput& input) {
  const TensorInfo& info = plan_.inputs()[index];
  if (input.frame()) return convert_frame(index, *input.frame());
  if (input.type() == DataType::kU8 && info.type == DataType::kF32) return convert_images(index, input);
  if (!input.shape()) {
    if (input.type() != info.type)
      return wrong_input(
          fmt::format("input '{}' expects type {}, got {}", info.name, name(info.type), name(input.type())));
    NESTRT_RETURN_IF_ERROR(expect_bytes(info, info.size_bytes(), input.capacity()));
  }
  bound_.views[index] = {input.type(), input.shape().value_or(info.shape), input.data(), input.capacity()};
  return {};
}

Result<TensorView> InputBinder::prepare(size_t index) {
  ConvertedInput& converted = bound_.converted[index];
  const TensorInfo& info = plan_.inputs()[index];
  if (!converted.converter) {
    NESTRT_ASSIGN_OR_RETURN(FrameConverter converter, FrameConverter::create(plan_, index, units_));
    NESTRT_ASSIGN_OR_RETURN(converted.values, AlignedMemory::allocate(info.size_bytes(), "an image"));
    converted.converter = std::move(converter);
  }
  const TensorView view{info.type, info.shape, converted.values.data(), converted.values.size()};
  bound_.views[index] = view;
  return view;
}

Status InputBinder::convert_frame(size_t index, const Frame& frame) {
  const TensorInfo& info = plan_.inputs()[index];
  if (info.shape.rank() == 4 && info.shape[0] > 1)
    return wrong_input(fmt::format("input '{}' holds {} images, got one frame; convert them with FrameConverter",
                                   info.name, info.shape[0]));
  NESTRT_ASSIGN_OR_RETURN(const TensorView view, prepare(index));
  return bound_.converted[index].converter->convert(frame, view);
}

Status InputBinder::convert_images(size_t index, const ModelInput& input) {
  NESTRT_ASSIGN_OR_RETURN(const TensorView view, prepare(index));
  const TensorInfo& info = plan_.inputs()[index];
  NESTRT_ASSIGN_OR_RETURN(const PixelOrder order,
                          pixel_order(info.name, info.shape, input.shape(), *plan_.preprocessing(index)));
  const auto count = static_cast<size_t>(info.shape.num_elements());
  const bool has_room = input.shape().has_value() && input.capacity() >= count;
  if (!has_room) NESTRT_RETURN_IF_ERROR(expect_bytes(info, count, input.capacity()));
  for (size_t i = 0; i < static_cast<size_t>(info.shape[0]); ++i) {
    const Frame frame = image_frame(static_cast<const uint8_t*>(input.data()), order, info.shape, i);
    NESTRT_RETURN_IF_ERROR(bound_.converted[index].converter->convert(frame, view, i));
  }
  return {};
}

ShapedInputs::ShapedInputs(const Plan& plan, const UnitList& units)
    : plan_(plan), units_(units), bound_(std::max<size_t>(plan.shapes().size(), 1)) {}

Status ShapedInputs::put_in_order(std::span<const ModelInput> inputs) {
  const std::span<const TensorInfo> infos = plan_.inputs();
  if (inputs.size() != infos.size())
    return wrong_input(fmt::format("the plan expects {} inputs, got {}", infos.size(), inputs.size()));
  ordered_.assign(infos.size(), nullptr);
  for (size_t i = 0; i < inputs.size(); ++i) {
    NESTRT_ASSIGN_OR_RETURN(const size_t index, index_of(infos, inputs[i], i));
    if (ordered_[index] != nullptr) return wrong_input(fmt::format("input '{}' is passed twice", infos[index].name));
    ordered_[index] = &inputs[i];
  }
  return {};
}

Result<size_t> ShapedInputs::bind(std::span<const ModelInput> inputs) {
  NESTRT_RETURN_IF_ERROR(put_in_order(inputs));
  Status first;
  for (size_t i = 0; i < bound_.size(); ++i) {
    Status status = InputBinder(shape_of_plan(plan_, i), units_, bound_[i]).bind(ordered_);
    if (status.ok()) return i;
    if (i == 0) first = std::move(status);
  }
  if (bound_.size() == 1) return first;
  return first.with_context(fmt::format("none of the plan's {} shapes matches the inputs; the first", bound_.size()));
}

const Plan& shape_of_plan(const Plan& plan, size_t index) {
  return plan.shapes().empty() ? plan : *plan.shapes()[index];
}

}  // namespace nestrt
