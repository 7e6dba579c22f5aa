#include "kernels/gather_elements/gather_elements.h"

#include "kernels/common/indices.h"
#include "kernels/common/rules.h"

namespace nestrt::kernels {
namespace {

Result<std::vector<TensorSpec>> infer(const OperatorSpec& spec) {
  NESTRT_RETURN_IF_ERROR(expect_inputs(spec, 2, 2));
  const Shape &data = spec.inputs[0].shape, &indices = spec.inputs[1].shape;
  NESTRT_ASSIGN_OR_RETURN(const int axis, checked_axis(spec.op->attributes_as_GatherElements()->axis(), data.rank()));
  NESTRT_RETURN_IF_ERROR(check_indices(spec.inputs[1], data[axis]));
  bool fits = indices.rank() == data.rank();
  for (int i = 0; fits && i < data.rank(); ++i) fits = i == axis || indices[i] <= data[i];
  if (!fits)
    return rule_error("indices have shape " + indices.to_string() + ", which does not fit into the data's " +
                      data.to_string() + " outside axis " + std::to_string(axis));
  return single_output(spec.inputs[0].type, indices);
}

}  // namespace

const OperatorRules& gather_elements_rules() {
  static constexpr KernelVariant kVariants[] = {
      {"gather_elements.reference", 0, is_plain, prepare_gather_elements_reference}};
  static const OperatorRules rules{plan::Attributes::GatherElements, "GatherElements", infer, kVariants};
  return rules;
}

}  // namespace nestrt::kernels
