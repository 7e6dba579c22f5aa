#include "kernels/layer_norm/layer_norm.h"

#include <array>
#include <string>

#include "kernels/common/rules.h"

namespace nestrt::kernels {
namespace {

Status check_parameter(const TensorSpec& parameter, const Shape& expected, const char* what) {
  NESTRT_RETURN_IF_ERROR(expect_type(parameter, DataType::kF32, what));
  if (parameter.shape == expected) return ok_status();
  return rule_error(std::string(what) + " has shape " + parameter.shape.to_string() +
                    ", expected that of the normalized axes: " + expected.to_string());
}

Result<std::vector<TensorSpec>> infer(const OperatorSpec& spec) {
  NESTRT_RETURN_IF_ERROR(expect_inputs(spec, 2, 3));
  NESTRT_RETURN_IF_ERROR(expect_type(spec.inputs[0], DataType::kF32, "the input"));
  const Shape& shape = spec.inputs[0].shape;
  NESTRT_ASSIGN_OR_RETURN(const int axis, checked_axis(spec.op->attributes_as_LayerNorm()->axis(), shape.rank()));
  const Shape normalized(shape.dims().subspan(static_cast<size_t>(axis)));
  NESTRT_RETURN_IF_ERROR(check_parameter(spec.inputs[1], normalized, "scale"));
  if (spec.has_input(2)) NESTRT_RETURN_IF_ERROR(check_parameter(spec.inputs[2], normalized, "bias"));
  return single_output(DataType::kF32, shape);
}

constexpr std::array kKernels = {
    KernelVariant{"layer_norm.f32.reference", 0, accepts_layer_norm_reference, prepare_layer_norm_reference},
};

}  // namespace

const OperatorRules& layer_norm_rules() {
  static const OperatorRules rules{plan::Attributes::LayerNorm, "LayerNorm", infer, kKernels};
  return rules;
}

}  // namespace nestrt::kernels
