// SPDX-License-Identifier: Apache-2.0
// LayerNorm: y = scale * (x - mean) / sqrt(variance + epsilon) + bias, with mean and variance over the axes [axis,
// rank). scale and bias (optional) have the shape of these axes. Supports f32.
#include <fmt/core.h>

#include <cmath>
#include <string>

#include "kernels/common/framework/function_kernel.h"
#include "kernels/common/framework/parallel_ranges.h"
#include "kernels/common/framework/rules.h"
#include "kernels/common/framework/steps.h"
#include "kernels/common/math/moments.h"
#include "kernels/common/math/normalize.h"
#include "kernels/registry.h"

namespace nestrt::kernels {
namespace {

Status check_parameter(const TensorSpec& parameter, const Shape& expected, const char* what) {
  NESTRT_RETURN_IF_ERROR(expect_type(parameter, DataType::kF32, what));
  if (parameter.shape == expected) return ok_status();
  return rule_error(fmt::format("{} has shape {}, expected that of the normalized axes: {}", what,
                                parameter.shape.to_string(), expected.to_string()));
}

Result<std::vector<TensorSpec>> infer(const OperatorSpec& spec) {
  NESTRT_RETURN_IF_ERROR(expect_inputs(spec, 2, 3));
  NESTRT_RETURN_IF_ERROR(expect_type(spec.inputs[0], DataType::kF32, "the input"));
  const Shape& shape = spec.inputs[0].shape;
  NESTRT_ASSIGN_OR_RETURN(const int axis, checked_axis(spec.as<ops::LayerNorm>()->axis, shape.rank()));
  const Shape normalized(shape.dims().subspan(static_cast<size_t>(axis)));
  NESTRT_RETURN_IF_ERROR(check_parameter(spec.inputs[1], normalized, "scale"));
  if (spec.has_input(2)) NESTRT_RETURN_IF_ERROR(check_parameter(spec.inputs[2], normalized, "bias"));
  return single_output(DataType::kF32, shape);
}

// `bias` may be null.
void normalize(const float* x, float* y, int64_t count, double epsilon, const float* scale, const float* bias) {
  const Moments m = moments(x, count);
  const double factor = 1 / std::sqrt(m.variance + epsilon);
  for (int64_t i = 0; i < count; ++i) {
    const double offset = bias == nullptr ? 0.0 : bias[i];
    y[i] = static_cast<float>((x[i] - m.mean) * factor * scale[i] + offset);
  }
}

// The input as rows, each of which contains the normalized axes.
struct AxisRows {
  int64_t count = 0, length = 0;
};

AxisRows axis_rows(const OperatorSpec& spec) {
  const Shape& shape = spec.inputs[0].shape;
  const int stated = spec.as<ops::LayerNorm>()->axis, axis = stated < 0 ? stated + shape.rank() : stated;
  return {shape.product(0, axis), shape.product(axis, shape.rank())};
}

Result<std::unique_ptr<Kernel>> prepare_reference(const OperatorSpec& spec) {
  const auto [rows, count] = axis_rows(spec);
  const double epsilon = spec.as<ops::LayerNorm>()->epsilon;
  return make_kernel([rows = rows, count = count, epsilon, has_bias = spec.has_input(2)](const KernelCall& call) {
    const float *x = call.input<float>(0), *scale = call.input<float>(1);
    const float* bias = has_bias ? call.input<float>(2) : nullptr;
    float* y = call.output<float>(0);
    parallel_ranges(*call.parallel, rows, count, [&](int64_t first, int64_t last) {
      for (int64_t row = first; row < last; ++row)
        normalize(x + row * count, y + row * count, count, epsilon, scale, bias);
    });
  });
}

Result<std::unique_ptr<Kernel>> prepare_simd(const OperatorSpec& spec) {
  const AxisRows rows = axis_rows(spec);
  const double epsilon = spec.as<ops::LayerNorm>()->epsilon;
  return make_kernel([rows, epsilon, has_bias = spec.has_input(2), run = normalize_function()](const KernelCall& call) {
    parallel_ranges(*call.parallel, rows.count, rows.length, [&](int64_t first, int64_t last) {
      NormalizedRow row{.count = rows.length, .epsilon = epsilon, .scale = call.input<float>(1)};
      if (has_bias) row.bias = call.input<float>(2);
      for (int64_t i = first; i < last; ++i) {
        row.x = call.input<float>(0) + i * rows.length;
        row.y = call.output<float>(0) + i * rows.length;
        run(row);
      }
    });
  });
}

constexpr KernelVariant kKernels[] = {
    {"layer_norm.f32.reference", 0, is_plain, prepare_reference},
    {"layer_norm.f32.simd", 10, is_plain, prepare_simd},
};

}  // namespace

template <>
const OperatorRules& rules<ops::LayerNorm>() {
  static constexpr OperatorRules kRules{
      .kind = ops::Kind::kLayerNorm,
      .infer = infer,
      .macs = no_macs,
      .steps = function_steps,
      .division = kIndivisible,
      .kernels = {kKernels},
  };
  return kRules;
}

}  // namespace nestrt::kernels
