#include "kernels/cumsum/cumsum.h"

#include <array>
#include <string>

#include "kernels/common/rules.h"

namespace nestrt::kernels {
namespace {

Result<std::vector<TensorSpec>> infer(const OperatorSpec& spec) {
  NESTRT_RETURN_IF_ERROR(expect_inputs(spec, 1, 1));
  const TensorSpec& input = spec.inputs[0];
  if (input.type != DataType::kF32 && input.type != DataType::kS32 && input.type != DataType::kS64) {
    return rule_error("the input is " + std::string(name(input.type)) + ", expected f32, s32 or s64");
  }
  const auto axis = checked_axis(spec.op->attributes_as_CumSum()->axis(), input.shape.rank());
  if (!axis) return axis.error();
  return single_output(input.type, input.shape);
}

constexpr std::array kKernels = {
    KernelVariant{"cumsum.reference", 0, accepts_cumsum_reference, prepare_cumsum_reference},
};

}  // namespace

const OperatorRules& cumsum_rules() {
  static const OperatorRules rules{plan::Attributes::CumSum, "CumSum", infer, kKernels};
  return rules;
}

}  // namespace nestrt::kernels
