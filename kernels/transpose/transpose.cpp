#include "kernels/transpose/transpose.h"

#include "kernels/common/rules.h"

namespace nestrt::kernels {
namespace {

Result<std::vector<TensorSpec>> infer(const OperatorSpec& spec) {
  NESTRT_RETURN_IF_ERROR(expect_inputs(spec, 1, 1));
  const TensorSpec& input = spec.inputs[0];
  const auto permutation = span_of(spec.op->attributes_as_Transpose()->permutation());
  const int rank = input.shape.rank();
  if (permutation.size() != static_cast<size_t>(rank))
    return rule_error("permutation has " + std::to_string(permutation.size()) + " entries, expected " +
                      std::to_string(rank) + " for an input of shape " + input.shape.to_string());
  Shape shape;
  unsigned seen = 0;
  for (int32_t axis : permutation) {
    if (axis < 0 || axis >= rank || (seen >> axis & 1) != 0)
      return rule_error("permutation does not name each axis below " + std::to_string(rank) + " once");
    seen |= 1u << axis;
    shape.push_back(input.shape[axis]);
  }
  return single_output(input.type, shape);
}

}  // namespace

const OperatorRules& transpose_rules() {
  static constexpr KernelVariant kVariants[] = {
      {"transpose.reference", 0, is_plain, prepare_transpose_reference},
      {"transpose.copy", 10, is_plain, prepare_transpose_copy},
  };
  static const OperatorRules rules{plan::Attributes::Transpose, "Transpose", infer, kVariants};
  return rules;
}

}  // namespace nestrt::kernels
