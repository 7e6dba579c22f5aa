#include "kernels/slice/slice.h"

#include "kernels/common/rules.h"

namespace nestrt::kernels {
namespace {

// The window of `count` elements lies inside an axis of `dim` elements.
bool inside(int64_t dim, int64_t start, int64_t step, int64_t count) {
  int64_t last = 0;
  if (__builtin_mul_overflow(count - 1, step, &last) || __builtin_add_overflow(last, start, &last)) return false;
  return start >= 0 && start < dim && last >= 0 && last < dim;
}

Result<std::vector<TensorSpec>> infer(const OperatorSpec& spec) {
  NESTRT_RETURN_IF_ERROR(expect_inputs(spec, 1, 1));
  const TensorSpec& input = spec.inputs[0];
  const auto* slice = spec.op->attributes_as_Slice();
  const auto start = span_of(slice->start()), step = span_of(slice->step());
  NESTRT_ASSIGN_OR_RETURN(const Shape shape, checked_shape(span_of(slice->shape()), "shape"));
  const auto rank = static_cast<size_t>(input.shape.rank());
  if (start.size() != rank || step.size() != rank || shape.dims().size() != rank)
    return rule_error("start, step and shape have " + std::to_string(start.size()) + ", " +
                      std::to_string(step.size()) + " and " + std::to_string(shape.rank()) + " entries, expected " +
                      std::to_string(rank) + " each");
  for (size_t i = 0; i < rank; ++i) {
    const int axis = static_cast<int>(i);
    if (step[i] == 0) return rule_error("step of axis " + std::to_string(i) + " is 0");
    if (shape[axis] > 0 && !inside(input.shape[axis], start[i], step[i], shape[axis]))
      return rule_error("start " + std::to_string(start[i]) + " with step " + std::to_string(step[i]) + " takes " +
                        std::to_string(shape[axis]) + " elements past the end of axis " + std::to_string(i) +
                        ", which has " + std::to_string(input.shape[axis]));
  }
  return single_output(input.type, shape);
}

}  // namespace

const OperatorRules& slice_rules() {
  static constexpr KernelVariant kVariants[] = {
      {"slice.reference", 0, is_plain, prepare_slice_reference},
      {"slice.copy", 10, is_plain, prepare_slice_copy},
  };
  static const OperatorRules rules{plan::Attributes::Slice, "Slice", infer, kVariants};
  return rules;
}

}  // namespace nestrt::kernels
