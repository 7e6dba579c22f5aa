// SPDX-License-Identifier: Apache-2.0
#include "kernels/conv_integer/conv_integer.h"

#include <array>

#include "kernels/common/framework/rules.h"
#include "kernels/common/framework/steps.h"
#include "kernels/common/quantization/integer_operands.h"
#include "kernels/registry.h"

namespace nestrt::kernels {
namespace {

Result<std::vector<TensorSpec>> infer(const OperatorSpec& spec) {
  NESTRT_ASSIGN_OR_RETURN(const ConvGeometry geometry, conv_integer_geometry(spec));
  const bool is_scaled = IntegerOperands(spec).is_scaled();
  return single_output(is_scaled ? DataType::kF32 : DataType::kS32, geometry.output);
}

int64_t products_per_output(const OperatorSpec& spec) {
  const Shape& weights = spec.inputs[1].shape;
  return weights.product(1, weights.rank());
}

uint64_t macs(const OperatorSpec& spec) {
  return static_cast<uint64_t>(spec.outputs[0].shape.num_elements()) * static_cast<uint64_t>(products_per_output(spec));
}

int64_t steps(const OperatorSpec& spec) {
  return element_steps(spec, 1, saturating_sum(kCopySteps, products_per_output(spec)));
}

constexpr KernelVariant kKernels[] = {
    {"conv_integer.image", 10, accepts_conv_integer_image, prepare_conv_integer_image},
    {"conv_integer.reference", 0, is_plain, prepare_conv_integer_reference},
};

}  // namespace

// Returns the geometry of a Conv on floats with the same shapes.
Result<ConvGeometry> conv_integer_geometry(const OperatorSpec& spec) {
  NESTRT_RETURN_IF_ERROR(expect_inputs(spec, 2, 7));
  const auto& op = *spec.as<ops::ConvInteger>();
  const ops::Attributes conv = ops::Conv{.kernel = op.kernel,
                                         .stride = op.stride,
                                         .dilation = op.dilation,
                                         .pad_begin = op.pad_begin,
                                         .pad_end = op.pad_end,
                                         .group = op.group};
  std::array<TensorSpec, 2> inputs = {spec.inputs[0], spec.inputs[1]};
  for (TensorSpec& input : inputs) input.type = DataType::kF32;
  NESTRT_ASSIGN_OR_RETURN(ConvGeometry geometry, conv_geometry({&conv, inputs, spec.outputs}));
  NESTRT_RETURN_IF_ERROR(IntegerOperands::check(spec, geometry.out_channels));
  return geometry;
}

template <>
const OperatorRules& rules<ops::ConvInteger>() {
  static constexpr OperatorRules kRules{
      .kind = ops::Kind::kConvInteger,
      .infer = infer,
      .macs = macs,
      .steps = steps,
      .division = kIndivisible,
      .kernels = {kKernels},
  };
  return kRules;
}

}  // namespace nestrt::kernels
