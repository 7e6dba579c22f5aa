#include "kernels/gather/gather.h"

#include "kernels/common/indices.h"
#include "kernels/common/rules.h"

namespace nestrt::kernels {
namespace {

Result<std::vector<TensorSpec>> infer(const OperatorSpec& spec) {
  NESTRT_RETURN_IF_ERROR(expect_inputs(spec, 2, 2));
  const Shape &data = spec.inputs[0].shape, &indices = spec.inputs[1].shape;
  NESTRT_ASSIGN_OR_RETURN(const int axis, checked_axis(spec.op->attributes_as_Gather()->axis(), data.rank()));
  NESTRT_RETURN_IF_ERROR(check_indices(spec.inputs[1], data[axis]));
  std::vector<int64_t> dims(data.begin(), data.begin() + axis);
  dims.insert(dims.end(), indices.begin(), indices.end());
  dims.insert(dims.end(), data.begin() + axis + 1, data.end());
  NESTRT_ASSIGN_OR_RETURN(const Shape shape, checked_shape(dims, "the output"));
  return single_output(spec.inputs[0].type, shape);
}

}  // namespace

const OperatorRules& gather_rules() {
  static constexpr KernelVariant kVariants[] = {{"gather.reference", 0, is_plain, prepare_gather_reference}};
  static const OperatorRules rules{plan::Attributes::Gather, "Gather", infer, kVariants};
  return rules;
}

}  // namespace nestrt::kernels
