#include "kernels/cast/cast.h"

#include <array>
#include <string>

#include "kernels/common/rules.h"

namespace nestrt::kernels {
namespace {

Result<std::vector<TensorSpec>> infer(const OperatorSpec& spec) {
  NESTRT_RETURN_IF_ERROR(expect_inputs(spec, 1, 1));
  const plan::DataType to = spec.op->attributes_as_Cast()->to();
  if (to > plan::DataType::MAX) {
    return rule_error("attribute 'to' is " + std::to_string(static_cast<int>(to)) + ", which is no data type");
  }
  return single_output(static_cast<DataType>(to), spec.inputs[0].shape);
}

constexpr std::array kKernels = {
    KernelVariant{"cast.reference", 0, accepts_cast_reference, prepare_cast_reference},
};

}  // namespace

const OperatorRules& cast_rules() {
  static const OperatorRules rules{plan::Attributes::Cast, "Cast", infer, kKernels};
  return rules;
}

}  // namespace nestrt::kernels
