// SPDX-License-Identifier: Apache-2.0
#include "drivers/model/input_binder.h"

#include <fmt/core.h>

#include "drivers/model/image_frames.h"

namespace nestrt {
namespace {

Status wrong_input(const std::string& message) { return Status(Code::kInvalidArgument, message); }

Status expect_bytes(const TensorInfo& info, size_t expected, size_t actual) {
  if (actual == expected || actual == SIZE_MAX) return {};
  return wrong_input(fmt::format("input '{}' ({} {}) expects {} bytes, got {}", info.name, name(info.type),
                                 info.shape.to_string(), expected, actual));
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

}  // namespace nestrt
