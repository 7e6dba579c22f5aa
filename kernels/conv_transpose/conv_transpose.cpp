// SPDX-License-Identifier: Apache-2.0
#include "kernels/conv_transpose/conv_transpose.h"

#include "kernels/common/framework/rules.h"
#include "kernels/common/framework/steps.h"
#include "kernels/conv/geometry.h"
#include "kernels/registry.h"

namespace nestrt::kernels {
namespace {

Result<std::vector<TensorSpec>> infer(const OperatorSpec& spec) {
  NESTRT_ASSIGN_OR_RETURN(const ConvGeometry geometry, conv_transpose_geometry(spec));
  return single_output(DataType::kF32, geometry.output);
}

// Returns the number of weights with which each input element is multiplied.
int64_t weights_per_input(const OperatorSpec& spec) {
  const Shape& weights = spec.inputs[1].shape;
  return weights.product(1, weights.rank());
}

uint64_t macs(const OperatorSpec& spec) {
  return static_cast<uint64_t>(spec.inputs[0].shape.num_elements()) * static_cast<uint64_t>(weights_per_input(spec));
}

int64_t steps(const OperatorSpec& spec) {
  return element_steps(spec, saturating_sum(kCopySteps, weights_per_input(spec)), kCopySteps);
}

constexpr KernelVariant kKernels[] = {
    {"conv_transpose.f32.depthwise16", 30, accepts_conv_transpose_depthwise16, prepare_conv_transpose_depthwise16},
    {"conv_transpose.f32.direct16", 20, accepts_conv_transpose_direct16, prepare_conv_transpose_direct16},
    {"conv_transpose.f32.gemm", 10, accepts_conv_transpose_gemm, prepare_conv_transpose_gemm},
    {"conv_transpose.f32.reference", 0, is_plain, prepare_conv_transpose_reference},
};

}  // namespace

template <>
const OperatorRules& rules<ops::ConvTranspose>() {
  static constexpr OperatorRules kRules{
      .kind = ops::Kind::kConvTranspose,
      .infer = infer,
      .macs = macs,
      .steps = steps,
      .division = kIndivisible,
      .kernels = {kKernels},
  };
  return kRules;
}

}  // namespace nestrt::kernels
