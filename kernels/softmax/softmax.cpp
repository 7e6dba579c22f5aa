// SPDX-License-Identifier: Apache-2.0
#include "kernels/softmax/softmax.h"

#include <string>

#include "kernels/common/framework/rules.h"
#include "kernels/common/framework/steps.h"
#include "kernels/registry.h"

namespace nestrt::kernels {
namespace {

Result<std::vector<TensorSpec>> infer(const OperatorSpec& spec) {
  NESTRT_RETURN_IF_ERROR(expect_inputs(spec, 1, 1));
  NESTRT_RETURN_IF_ERROR(expect_type(spec.inputs[0], DataType::kF32, "the input"));
  const Shape& shape = spec.inputs[0].shape;
  const auto axis = checked_axis(spec.as<ops::Softmax>()->axis, shape.rank());
  if (!axis) return axis.error();
  return single_output(DataType::kF32, shape);
}

constexpr KernelVariant kKernels[] = {
    {"softmax.f32.reference", 0, accepts_softmax_reference, prepare_softmax_reference},
    {"softmax.f32.simd", 10, accepts_softmax_simd, prepare_softmax_simd},
};

}  // namespace

template <>
const OperatorRules& rules<ops::Softmax>() {
  static constexpr OperatorRules kRules{
      .kind = ops::Kind::kSoftmax,
      .infer = infer,
      .macs = no_macs,
      .steps = function_steps,
      .division = kIndivisible,
      .kernels = {kKernels},
  };
  return kRules;
}

}  // namespace nestrt::kernels
