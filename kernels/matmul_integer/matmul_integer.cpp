// SPDX-License-Identifier: Apache-2.0
#include "kernels/matmul_integer/matmul_integer.h"

#include "kernels/common/framework/rules.h"
#include "kernels/common/framework/steps.h"
#include "kernels/common/quantization/integer_operands.h"
#include "kernels/registry.h"

namespace nestrt::kernels {
namespace {

Result<std::vector<TensorSpec>> infer(const OperatorSpec& spec) {
  NESTRT_ASSIGN_OR_RETURN(const MatMulGeometry geometry, matmul_integer_geometry(spec));
  const bool is_scaled = IntegerOperands(spec).is_scaled();
  return single_output(is_scaled ? DataType::kF32 : DataType::kS32, geometry.output);
}

int64_t inner_length(const OperatorSpec& spec) {
  const Shape& a = spec.inputs[0].shape;
  return a[a.rank() - 1];
}

uint64_t macs(const OperatorSpec& spec) {
  return static_cast<uint64_t>(spec.outputs[0].shape.num_elements()) * static_cast<uint64_t>(inner_length(spec));
}

int64_t steps(const OperatorSpec& spec) {
  return element_steps(spec, 1, saturating_sum(kCopySteps, inner_length(spec)));
}

constexpr KernelVariant kKernels[] = {
    {"matmul_integer.panel16", 10, accepts_matmul_integer_panel16, prepare_matmul_integer_panel16, Packing::kS8Panel},
    {"matmul_integer.reference", 0, is_plain, prepare_matmul_integer_reference},
};

}  // namespace

Result<MatMulGeometry> matmul_integer_geometry(const OperatorSpec& spec) {
  NESTRT_RETURN_IF_ERROR(expect_inputs(spec, 2, 7));
  NESTRT_ASSIGN_OR_RETURN(MatMulGeometry geometry, matmul_geometry(spec.inputs[0].shape, spec.inputs[1].shape));
  NESTRT_RETURN_IF_ERROR(IntegerOperands::check(spec, geometry.columns));
  return geometry;
}

template <>
const OperatorRules& rules<ops::MatMulInteger>() {
  static constexpr OperatorRules kRules{
      .kind = ops::Kind::kMatMulInteger,
      .infer = infer,
      .macs = macs,
      .steps = steps,
      .division = kIndivisible,
      .kernels = {kKernels},
  };
  return kRules;
}

}  // namespace nestrt::kernels
