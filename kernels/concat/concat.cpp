// SPDX-License-Identifier: Apache-2.0
#include "kernels/concat/concat.h"

#include <fmt/core.h>

#include "kernels/common/framework/rules.h"
#include "kernels/common/framework/steps.h"
#include "kernels/common/quantization/s8_operands.h"
#include "kernels/registry.h"

namespace nestrt::kernels {
namespace {

std::string input_name(size_t index) { return fmt::format("input {}", index); }

// Checks that the input can be joined with the first one along the axis.
Status check_input(const OperatorSpec& spec, size_t index, int axis) {
  const TensorSpec &first = spec.inputs[0], &input = spec.inputs[index];
  if (!input.present) return rule_error(fmt::format("{} is absent but required", input_name(index)));
  if (input.type != first.type)
    return rule_error(
        fmt::format("{} is {}, expected {} as input 0", input_name(index), name(input.type), name(first.type)));
  bool fits = input.shape.rank() == first.shape.rank();
  for (int i = 0; fits && i < first.shape.rank(); ++i) fits = i == axis || input.shape[i] == first.shape[i];
  if (!fits)
    return rule_error(fmt::format("{} has shape {}, which differs from {} of input 0 outside axis {}",
                                  input_name(index), input.shape.to_string(), first.shape.to_string(), axis));
  return ok_status();
}

Result<std::vector<TensorSpec>> infer(const OperatorSpec& spec) {
  NESTRT_RETURN_IF_ERROR(expect_inputs(spec, 1, SIZE_MAX));
  Shape shape = spec.inputs[0].shape;
  NESTRT_ASSIGN_OR_RETURN(const int axis, checked_axis(spec.as<ops::Concat>()->axis, shape.rank()));
  for (size_t i = 1; i < spec.inputs.size(); ++i) {
    NESTRT_RETURN_IF_ERROR(check_input(spec, i, axis));
    if (__builtin_add_overflow(shape[axis], spec.inputs[i].shape[axis], &shape[axis]))
      return rule_error(fmt::format("the output's axis {} is too long", axis));
  }
  NESTRT_RETURN_IF_ERROR(checked_shape(shape.dims(), "the output").error());
  if (!spec.outputs.empty()) NESTRT_RETURN_IF_ERROR(s8::check_same_quantization(spec));
  return single_output(spec.inputs[0].type, shape);
}

constexpr KernelVariant kKernels[] = {
    {"concat.reference", 0, is_plain, prepare_concat_reference},
    {"concat.copy", 10, accepts_concat_copy, prepare_concat_copy},
};

}  // namespace

template <>
const OperatorRules& rules<ops::Concat>() {
  static constexpr OperatorRules kRules{
      .kind = ops::Kind::kConcat,
      .infer = infer,
      .macs = no_macs,
      .steps = copy_steps,
      .division = kIndivisible,
      .kernels = {kKernels},
  };
  return kRules;
}

}  // namespace nestrt::kernels
