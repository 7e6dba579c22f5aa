#include "kernels/resize/resize.h"

#include <algorithm>
#include <cmath>

#include "kernels/common/rules.h"

namespace nestrt::kernels {
namespace {

// Coordinates are f32, which counts exactly up to here.
constexpr int64_t kMaxLength = int64_t{1} << 24;

Status check_modes(const plan::Resize& resize) {
  const auto unknown = [](const char* attribute, auto value) {
    return rule_error(std::string(attribute) + " has the unknown value " + std::to_string(static_cast<int>(value)));
  };
  if (resize.mode() > plan::ResizeMode::MAX) return unknown("mode", resize.mode());
  if (resize.coordinate() > plan::CoordinateMode::MAX) return unknown("coordinate", resize.coordinate());
  if (resize.nearest() > plan::NearestMode::MAX) return unknown("nearest", resize.nearest());
  return ok_status();
}

Status check_numbers(const plan::Resize& resize, size_t rank) {
  const auto scales = span_of(resize.scales()), roi = span_of(resize.roi());
  if (!scales.empty() && scales.size() != rank)
    return rule_error("scales has " + std::to_string(scales.size()) + " entries, expected " + std::to_string(rank));
  for (float scale : scales)
    if (!std::isfinite(scale) || scale <= 0)
      return rule_error("scales has the entry " + std::to_string(scale) + ", expected positive numbers");
  if (resize.coordinate() != plan::CoordinateMode::tf_crop_and_resize) return ok_status();
  if (roi.size() != 2 * rank)
    return rule_error("roi has " + std::to_string(roi.size()) + " entries, expected " + std::to_string(2 * rank));
  for (float bound : roi)
    if (!std::isfinite(bound)) return rule_error("roi has an entry that is not finite");
  return ok_status();
}

Result<std::vector<TensorSpec>> infer(const OperatorSpec& spec) {
  NESTRT_RETURN_IF_ERROR(expect_inputs(spec, 1, 1));
  const TensorSpec& input = spec.inputs[0];
  const plan::Resize& resize = *spec.op->attributes_as_Resize();
  const int rank = input.shape.rank();
  NESTRT_RETURN_IF_ERROR(check_modes(resize));
  NESTRT_RETURN_IF_ERROR(check_numbers(resize, static_cast<size_t>(rank)));
  if (resize.mode() != plan::ResizeMode::nearest && input.type != DataType::kF32)
    return rule_error("the input is " + std::string(name(input.type)) + ", expected f32 for mode " +
                      plan::EnumNameResizeMode(resize.mode()));
  NESTRT_ASSIGN_OR_RETURN(const Shape shape, checked_shape(span_of(resize.sizes()), "sizes"));
  if (shape.rank() != rank)
    return rule_error("sizes has " + std::to_string(shape.rank()) + " entries, expected " + std::to_string(rank));
  for (int axis = 0; axis < rank; ++axis) {
    if (input.shape[axis] == 0 && shape[axis] > 0)
      return rule_error("sizes asks for elements of axis " + std::to_string(axis) + ", which has none");
    if (std::max(input.shape[axis], shape[axis]) > kMaxLength)
      return rule_error("sizes has an axis of more than 2^24 elements: axis " + std::to_string(axis));
  }
  return single_output(input.type, shape);
}

}  // namespace

const OperatorRules& resize_rules() {
  static constexpr KernelVariant kVariants[] = {
      {"resize.reference", 0, is_plain, prepare_resize_reference},
      {"resize.nearest", 10, accepts_resize_nearest, prepare_resize_nearest},
      {"resize.f32.linear2d", 10, accepts_resize_linear, prepare_resize_linear},
  };
  static const OperatorRules rules{plan::Attributes::Resize, "Resize", infer, kVariants};
  return rules;
}

}  // namespace nestrt::kernels
