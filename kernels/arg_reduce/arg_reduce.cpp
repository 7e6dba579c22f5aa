#include "kernels/arg_reduce/arg_reduce.h"

#include <array>
#include <string>

#include "kernels/common/rules.h"

namespace nestrt::kernels {
namespace {

Result<std::vector<TensorSpec>> infer(const OperatorSpec& spec) {
  NESTRT_RETURN_IF_ERROR(expect_inputs(spec, 1, 1));
  const plan::ArgReduce& attributes = *spec.op->attributes_as_ArgReduce();
  const TensorSpec& input = spec.inputs[0];
  if (input.type == DataType::kBool) return rule_error("the input is bool, expected numbers");
  NESTRT_ASSIGN_OR_RETURN(const int axis, checked_axis(attributes.axis(), input.shape.rank()));
  if (input.shape[axis] == 0)
    return rule_error("axis " + std::to_string(axis) + " is empty: it has no largest element");
  Shape shape;
  for (int i = 0; i < input.shape.rank(); ++i) {
    if (i != axis)
      shape.push_back(input.shape[i]);
    else if (attributes.keep_dims())
      shape.push_back(1);
  }
  return single_output(DataType::kS64, shape);
}

constexpr std::array kKernels = {
    KernelVariant{"arg_reduce.reference", 0, accepts_arg_reduce_reference, prepare_arg_reduce_reference},
};

}  // namespace

const OperatorRules& arg_reduce_rules() {
  static const OperatorRules rules{plan::Attributes::ArgReduce, "ArgReduce", infer, kKernels};
  return rules;
}

}  // namespace nestrt::kernels
