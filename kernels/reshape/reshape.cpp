#include "kernels/reshape/reshape.h"

#include "kernels/common/rules.h"

namespace nestrt::kernels {
namespace {

Result<std::vector<TensorSpec>> infer(const OperatorSpec& spec) {
  NESTRT_RETURN_IF_ERROR(expect_inputs(spec, 1, 1));
  const TensorSpec& input = spec.inputs[0];
  NESTRT_ASSIGN_OR_RETURN(const Shape shape,
                          checked_shape(span_of(spec.op->attributes_as_Reshape()->shape()), "shape"));
  if (shape.num_elements() != input.shape.num_elements())
    return rule_error("shape " + shape.to_string() + " does not hold the elements of the input " +
                      input.shape.to_string());
  return single_output(input.type, shape);
}

}  // namespace

const OperatorRules& reshape_rules() {
  static constexpr KernelVariant kVariants[] = {{"reshape.reference", 0, is_plain, prepare_reshape_reference}};
  static const OperatorRules rules{plan::Attributes::Reshape, "Reshape", infer, kVariants};
  return rules;
}

}  // namespace nestrt::kernels
