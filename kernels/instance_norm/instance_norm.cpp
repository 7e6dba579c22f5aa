#include "kernels/instance_norm/instance_norm.h"

#include <array>
#include <string>

#include "kernels/common/rules.h"

namespace nestrt::kernels {
namespace {

Status check_parameter(const OperatorSpec& spec, size_t index, const char* what) {
  NESTRT_RETURN_IF_ERROR(expect_type(spec.inputs[index], DataType::kF32, what));
  const Shape expected{spec.inputs[0].shape[1]};
  const Shape& shape = spec.inputs[index].shape;
  if (shape == expected) return ok_status();
  return rule_error(std::string(what) + " has shape " + shape.to_string() +
                    ", expected one value per channel: " + expected.to_string());
}

Result<std::vector<TensorSpec>> infer(const OperatorSpec& spec) {
  NESTRT_RETURN_IF_ERROR(expect_inputs(spec, 3, 3));
  NESTRT_RETURN_IF_ERROR(expect_type(spec.inputs[0], DataType::kF32, "the input"));
  const Shape& shape = spec.inputs[0].shape;
  if (shape.rank() < 2)
    return rule_error("the input has rank " + std::to_string(shape.rank()) + ", expected at least 2");
  NESTRT_RETURN_IF_ERROR(check_parameter(spec, 1, "scale"));
  NESTRT_RETURN_IF_ERROR(check_parameter(spec, 2, "bias"));
  return single_output(DataType::kF32, shape);
}

constexpr std::array kKernels = {
    KernelVariant{"instance_norm.f32.reference", 0, accepts_instance_norm_reference, prepare_instance_norm_reference},
};

}  // namespace

const OperatorRules& instance_norm_rules() {
  static const OperatorRules rules{plan::Attributes::InstanceNorm, "InstanceNorm", infer, kKernels};
  return rules;
}

}  // namespace nestrt::kernels
