// SPDX-License-Identifier: Apache-2.0
// InstanceNorm: y = scale[c] * (x - mean) / sqrt(variance + epsilon) + bias[c], with mean and variance over the spatial
// axes of each image and channel. Supports f32 tensors [N, C, spatial...].
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

Status check_parameter(const OperatorSpec& spec, size_t index, const char* what) {
  NESTRT_RETURN_IF_ERROR(expect_type(spec.inputs[index], DataType::kF32, what));
  const Shape expected{spec.inputs[0].shape[1]};
  const Shape& shape = spec.inputs[index].shape;
  if (shape == expected) return ok_status();
  return rule_error(fmt::format("{} has shape {}, expected one value per channel: {}", what, shape.to_string(),
                                expected.to_string()));
}

Result<std::vector<TensorSpec>> infer(const OperatorSpec& spec) {
  NESTRT_RETURN_IF_ERROR(expect_inputs(spec, 3, 3));
  NESTRT_RETURN_IF_ERROR(expect_type(spec.inputs[0], DataType::kF32, "the input"));
  const Shape& shape = spec.inputs[0].shape;
  if (shape.rank() < 2) return rule_error(fmt::format("the input has rank {}, expected at least 2", shape.rank()));
  NESTRT_RETURN_IF_ERROR(check_parameter(spec, 1, "scale"));
  NESTRT_RETURN_IF_ERROR(check_parameter(spec, 2, "bias"));
  return single_output(DataType::kF32, shape);
}

void normalize(const float* x, float* y, int64_t count, double epsilon, float scale, float bias) {
  const Moments m = moments(x, count);
  const double factor = scale / std::sqrt(m.variance + epsilon);
  for (int64_t i = 0; i < count; ++i) y[i] = static_cast<float>((x[i] - m.mean) * factor + bias);
}

Result<std::unique_ptr<Kernel>> prepare_reference(const OperatorSpec& spec) {
  const Shape& shape = spec.inputs[0].shape;
  const int64_t images = shape[0], channels = shape[1], spatial = shape.product(2, shape.rank());
  const double epsilon = spec.as<ops::InstanceNorm>()->epsilon;
  return make_kernel([images, channels, spatial, epsilon](const KernelCall& call) {
    const float *x = call.input<float>(0), *scale = call.input<float>(1), *bias = call.input<float>(2);
    float* y = call.output<float>(0);
    parallel_ranges(*call.parallel, images * channels, spatial, [&](int64_t first, int64_t last) {
      for (int64_t plane = first; plane < last; ++plane) {
        const int64_t c = plane % channels;
        normalize(x + plane * spatial, y + plane * spatial, spatial, epsilon, scale[c], bias[c]);
      }
    });
  });
}

Result<std::unique_ptr<Kernel>> prepare_simd(const OperatorSpec& spec) {
  const Shape& shape = spec.inputs[0].shape;
  const int64_t channels = shape[1], planes = shape[0] * channels, spatial = shape.product(2, shape.rank());
  const double epsilon = spec.as<ops::InstanceNorm>()->epsilon;
  return make_kernel([=, run = normalize_function()](const KernelCall& call) {
    parallel_ranges(*call.parallel, planes, spatial, [&](int64_t first, int64_t last) {
      NormalizedRow row{.count = spatial, .epsilon = epsilon};
      for (int64_t plane = first; plane < last; ++plane) {
        row.x = call.input<float>(0) + plane * spatial;
        row.y = call.output<float>(0) + plane * spatial;
        row.factor = call.input<float>(1)[plane % channels];
        row.offset = call.input<float>(2)[plane % channels];
        run(row);
      }
    });
  });
}

constexpr KernelVariant kKernels[] = {
    {"instance_norm.f32.reference", 0, is_plain, prepare_reference},
    {"instance_norm.f32.simd", 10, is_plain, prepare_simd},
};

}  // namespace

template <>
const OperatorRules& rules<ops::InstanceNorm>() {
  static constexpr OperatorRules kRules{
      .kind = ops::Kind::kInstanceNorm,
      .infer = infer,
      .macs = no_macs,
      .steps = function_steps,
      .division = kIndivisible,
      .kernels = {kKernels},
  };
  return kRules;
}

}  // namespace nestrt::kernels
