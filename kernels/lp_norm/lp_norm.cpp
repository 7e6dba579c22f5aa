#include "kernels/lp_norm/lp_norm.h"

#include <array>
#include <string>

#include "kernels/common/rules.h"

namespace nestrt::kernels {
namespace {

Result<std::vector<TensorSpec>> infer(const OperatorSpec& spec) {
  NESTRT_RETURN_IF_ERROR(expect_inputs(spec, 1, 1));
  NESTRT_RETURN_IF_ERROR(expect_type(spec.inputs[0], DataType::kF32, "the input"));
  const plan::LpNorm& attributes = *spec.op->attributes_as_LpNorm();
  if (attributes.p() != 1 && attributes.p() != 2) {
    return rule_error("p is " + std::to_string(attributes.p()) + ", expected 1 or 2");
  }
  const Shape& shape = spec.inputs[0].shape;
  const auto axis = checked_axis(attributes.axis(), shape.rank());
  if (!axis) return axis.error();
  return single_output(DataType::kF32, shape);
}

constexpr std::array kKernels = {
    KernelVariant{"lp_norm.f32.reference", 0, accepts_lp_norm_reference, prepare_lp_norm_reference},
};

}  // namespace

const OperatorRules& lp_norm_rules() {
  static const OperatorRules rules{plan::Attributes::LpNorm, "LpNorm", infer, kKernels};
  return rules;
}

}  // namespace nestrt::kernels
