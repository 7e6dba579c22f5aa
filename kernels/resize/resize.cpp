// SPDX-License-Identifier: Apache-2.0
#include "kernels/resize/resize.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "kernels/common/framework/rules.h"
#include "kernels/common/framework/steps.h"
#include "kernels/common/quantization/s8_operands.h"
#include "kernels/registry.h"

namespace nestrt::kernels {
namespace {

// Coordinates are f32, which represents all integers up to this limit exactly.
constexpr int64_t kMaxLength = int64_t{1} << 24;

Status check_numbers(const ops::Resize& resize, size_t rank) {
  const auto &scales = resize.scales, &roi = resize.roi;
  if (!scales.empty() && scales.size() != rank)
    return rule_error(fmt::format("scales has {} entries, expected {}", scales.size(), rank));
  for (float scale : scales)
    if (!std::isfinite(scale) || scale <= 0)
      return rule_error(fmt::format("scales has the entry {}, expected positive numbers", scale));
  if (resize.coordinate != ops::CoordinateMode::kTfCropAndResize) return ok_status();
  if (roi.size() != 2 * rank) return rule_error(fmt::format("roi has {} entries, expected {}", roi.size(), 2 * rank));
  for (float bound : roi)
    if (!std::isfinite(bound)) return rule_error("roi has an entry that is not finite");
  return ok_status();
}

// Checks that fixed_axis() supports the interpolation of integers.
Status check_integers(const OperatorSpec& spec) {
  const TensorSpec& input = spec.inputs[0];
  const ops::Resize& resize = *spec.as<ops::Resize>();
  if (resize.mode == ops::ResizeMode::kNearest || input.type == DataType::kF32) return {};
  if (input.type != DataType::kS8 || resize.mode != ops::ResizeMode::kLinear)
    return rule_error(
        fmt::format("the input is {}, expected f32 for mode {}", name(input.type), ops::name(resize.mode)));
  const auto is_copied = [&](int axis) {
    const auto i = static_cast<size_t>(axis);
    return resize.sizes.size() == 4 && resize.sizes[i] == input.shape[axis] &&
           (resize.scales.empty() || resize.scales[i] == 1);
  };
  const bool is_image = input.shape.rank() == 4 && is_copied(0) && is_copied(1);
  if (!is_image || resize.coordinate == ops::CoordinateMode::kTfCropAndResize)
    return rule_error("linear interpolation of s8 requires images with the same batch and channels, and no crop");
  return spec.outputs.empty() ? Status() : s8::check_same_quantization(spec);
}

Result<std::vector<TensorSpec>> infer(const OperatorSpec& spec) {
  NESTRT_RETURN_IF_ERROR(expect_inputs(spec, 1, 1));
  const TensorSpec& input = spec.inputs[0];
  const ops::Resize& resize = *spec.as<ops::Resize>();
  const int rank = input.shape.rank();
  NESTRT_RETURN_IF_ERROR(check_numbers(resize, static_cast<size_t>(rank)));
  NESTRT_RETURN_IF_ERROR(check_integers(spec));
  NESTRT_ASSIGN_OR_RETURN(const Shape shape, checked_shape(resize.sizes, "sizes"));
  if (shape.rank() != rank) return rule_error(fmt::format("sizes has {} entries, expected {}", shape.rank(), rank));
  for (int axis = 0; axis < rank; ++axis) {
    if (input.shape[axis] == 0 && shape[axis] > 0)
      return rule_error(fmt::format("sizes requests elements of axis {}, which is empty", axis));
    if (std::max(input.shape[axis], shape[axis]) > kMaxLength)
      return rule_error(fmt::format("sizes has an axis of more than 2^24 elements: axis {}", axis));
  }
  return single_output(input.type, shape);
}

int64_t steps(const OperatorSpec& spec) {
  const ops::Resize& resize = *spec.as<ops::Resize>();
  const Shape& input = spec.inputs[0].shape;
  const int64_t taps = resize.mode == ops::ResizeMode::kCubic ? 4 : resize.mode == ops::ResizeMode::kLinear ? 2 : 1;
  int64_t per_output = kCopySteps;
  for (int axis = 0; axis < input.rank(); ++axis)
    if (resize.sizes[static_cast<size_t>(axis)] != input[axis]) per_output = saturating_product(per_output, taps);
  return element_steps(spec, 1, per_output);
}

constexpr KernelVariant kKernels[] = {
    {"resize.reference", 0, is_plain, prepare_resize_reference},
    {"resize.nearest", 10, accepts_resize_nearest, prepare_resize_nearest},
    {"resize.f32.separable", 9, accepts_resize_separable, prepare_resize_separable},
    {"resize.f32.linear2d", 10, accepts_resize_linear, prepare_resize_linear},
    {"resize.s8.linear2d", 10, accepts_resize_linear_s8, prepare_resize_linear_s8},
};

}  // namespace

template <>
const OperatorRules& rules<ops::Resize>() {
  static constexpr OperatorRules kRules{
      .kind = ops::Kind::kResize,
      .infer = infer,
      .macs = no_macs,
      .steps = steps,
      .division = kIndivisible,
      .kernels = {kKernels},
  };
  return kRules;
}

}  // namespace nestrt::kernels
