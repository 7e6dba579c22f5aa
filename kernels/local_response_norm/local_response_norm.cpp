#include "kernels/local_response_norm/local_response_norm.h"

#include <array>
#include <string>

#include "kernels/common/rules.h"

namespace nestrt::kernels {
namespace {

Result<std::vector<TensorSpec>> infer(const OperatorSpec& spec) {
  NESTRT_RETURN_IF_ERROR(expect_inputs(spec, 1, 1));
  NESTRT_RETURN_IF_ERROR(expect_type(spec.inputs[0], DataType::kF32, "the input"));
  const Shape& shape = spec.inputs[0].shape;
  if (shape.rank() < 2)
    return rule_error("the input has rank " + std::to_string(shape.rank()) + ", expected at least 2");
  const int32_t size = spec.op->attributes_as_LocalResponseNorm()->size();
  if (size < 1) return rule_error("size is " + std::to_string(size) + ", expected at least 1");
  return single_output(DataType::kF32, shape);
}

constexpr std::array kKernels = {
    KernelVariant{"local_response_norm.f32.plain", 10, accepts_local_response_norm_plain,
                  prepare_local_response_norm_plain},
    KernelVariant{"local_response_norm.f32.blocked", 10, accepts_local_response_norm_blocked,
                  prepare_local_response_norm_blocked},
    KernelVariant{"local_response_norm.f32.reference", 0, accepts_local_response_norm_reference,
                  prepare_local_response_norm_reference},
};

}  // namespace

const OperatorRules& local_response_norm_rules() {
  static const OperatorRules rules{plan::Attributes::LocalResponseNorm, "LocalResponseNorm", infer, kKernels};
  return rules;
}

}  // namespace nestrt::kernels
