// SPDX-License-Identifier: Apache-2.0
#include <cstring>

#include "kernels/common/framework/elements.h"
#include "kernels/common/framework/function_kernel.h"
#include "kernels/common/quantization/s8c_arithmetic.h"
#include "kernels/resize/resize.h"

namespace nestrt::kernels {
namespace {

bool is_outside(const std::vector<ResizeAxis>& axes, const Index& index) {
  for (size_t i = 0; i < axes.size(); ++i)
    if (!axes[i].outside.empty() && axes[i].outside[static_cast<size_t>(index[i])] != 0) return true;
  return false;
}

// Returns the sum over all taps of the axes starting with `axis`. `offset`: the position selected along the previous
// axes.
double interpolate(const std::vector<ResizeAxis>& axes, const Index& strides, const Index& index, const float* input,
                   size_t axis, int64_t offset) {
  if (axis == axes.size()) return input[offset];
  if (axes[axis].copied())
    return interpolate(axes, strides, index, input, axis + 1, offset + index[axis] * strides[axis]);
  double sum = 0;
  for (int tap = 0; tap < axes[axis].taps; ++tap) {
    const auto entry = static_cast<size_t>(index[axis] * axes[axis].taps + tap);
    const int64_t at = offset + axes[axis].indices[entry] * strides[axis];
    sum += axes[axis].weights[entry] * interpolate(axes, strides, index, input, axis + 1, at);
  }
  return sum;
}

Result<std::unique_ptr<Kernel>> interpolating(const OperatorSpec& spec) {
  return make_kernel([axes = resize_axes(spec), strides = strides_of(spec.inputs[0].shape),
                      shape = spec.outputs[0].shape,
                      extrapolation = spec.as<ops::Resize>()->extrapolation_value](const KernelCall& call) {
    for_each_index(shape, [&](const Index& index, int64_t position) {
      call.output<float>(0)[position] =
          is_outside(axes, index) ? extrapolation
                                  : static_cast<float>(interpolate(axes, strides, index, call.input<float>(0), 0, 0));
    });
  });
}

Result<std::unique_ptr<Kernel>> interpolating_s8(const OperatorSpec& spec) {
  const Shape& shape = spec.outputs[0].shape;
  return make_kernel([planes = shape[0] * shape[1], y = fixed_axis(spec, 2),
                      x = fixed_axis(spec, 3)](const KernelCall& call) {
    const auto *plane = call.input<int8_t>(0), *const end = plane + planes * y.input * x.input;
    auto* to = call.output<int8_t>(0);
    for (; plane != end; plane += y.input * x.input)
      for (int64_t row = 0; row < y.output; ++row)
        for (int64_t column = 0; column < x.output; ++column) {
          const auto r = static_cast<size_t>(row), c = static_cast<size_t>(column);
          const auto across = [&](int32_t line) {
            const int8_t* const from = plane + line * x.input;
            return s8c::interpolate(from[x.indices[2 * c]], from[x.indices[2 * c + 1]], x.weights[c]);
          };
          *to++ =
              s8c::interpolated(s8c::interpolate(across(y.indices[2 * r]), across(y.indices[2 * r + 1]), y.weights[r]));
        }
  });
}

// Moves elements of any type.
Result<std::unique_ptr<Kernel>> nearest(const OperatorSpec& spec) {
  return make_kernel([axes = resize_axes(spec), strides = strides_of(spec.inputs[0].shape),
                      shape = spec.outputs[0].shape,
                      element = element_of(spec.as<ops::Resize>()->extrapolation_value, spec.inputs[0].type),
                      size = size_bytes(spec.inputs[0].type)](const KernelCall& call) {
    for_each_index(shape, [&](const Index& index, int64_t position) {
      int64_t source = 0;
      for (size_t i = 0; i < axes.size(); ++i)
        source += (axes[i].copied() ? index[i] : axes[i].indices[static_cast<size_t>(index[i])]) * strides[i];
      const std::byte* from =
          is_outside(axes, index) ? element.data() : call.inputs[0] + static_cast<size_t>(source) * size;
      std::memcpy(call.outputs[0] + static_cast<size_t>(position) * size, from, size);
    });
  });
}

}  // namespace

Result<std::unique_ptr<Kernel>> prepare_resize_reference(const OperatorSpec& spec) {
  if (spec.outputs[0].shape.num_elements() == 0) return make_kernel([](const KernelCall&) {});
  if (spec.as<ops::Resize>()->mode == ops::ResizeMode::kNearest) return nearest(spec);
  return spec.inputs[0].type == DataType::kS8 ? interpolating_s8(spec) : interpolating(spec);
}

}  // namespace nestrt::kernels
