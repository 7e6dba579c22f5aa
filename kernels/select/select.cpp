#include "kernels/select/select.h"

#include <array>
#include <string>

#include "kernels/common/broadcast.h"
#include "kernels/common/rules.h"

namespace nestrt::kernels {
namespace {

Result<std::vector<TensorSpec>> infer(const OperatorSpec& spec) {
  NESTRT_RETURN_IF_ERROR(expect_inputs(spec, 3, 3));
  const TensorSpec &condition = spec.inputs[0], &a = spec.inputs[1], &b = spec.inputs[2];
  if (condition.type != DataType::kBool) {
    return rule_error("the condition is " + std::string(name(condition.type)) + ", expected bool");
  }
  if (a.type != b.type) {
    return rule_error("the values are " + std::string(name(a.type)) + " and " + std::string(name(b.type)) +
                      ", expected one type");
  }
  const std::array shapes = {&condition.shape, &a.shape, &b.shape};
  NESTRT_ASSIGN_OR_RETURN(const Shape shape, broadcast_shapes(shapes));
  return single_output(a.type, shape);
}

constexpr std::array kKernels = {
    KernelVariant{"select.reference", 0, accepts_select_reference, prepare_select_reference},
};

}  // namespace

const OperatorRules& select_rules() {
  static const OperatorRules rules{plan::Attributes::Select, "Select", infer, kKernels};
  return rules;
}

}  // namespace nestrt::kernels
