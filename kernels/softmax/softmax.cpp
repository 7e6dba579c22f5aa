#include "kernels/softmax/softmax.h"

#include <array>
#include <string>

#include "kernels/common/rules.h"

namespace nestrt::kernels {
namespace {

Result<std::vector<TensorSpec>> infer(const OperatorSpec& spec) {
  NESTRT_RETURN_IF_ERROR(expect_inputs(spec, 1, 1));
  NESTRT_RETURN_IF_ERROR(expect_type(spec.inputs[0], DataType::kF32, "the input"));
  const Shape& shape = spec.inputs[0].shape;
  const auto axis = checked_axis(spec.op->attributes_as_Softmax()->axis(), shape.rank());
  if (!axis) return axis.error();
  return single_output(DataType::kF32, shape);
}

constexpr std::array kKernels = {
    KernelVariant{"softmax.f32.reference", 0, accepts_softmax_reference, prepare_softmax_reference},
    KernelVariant{"softmax.f32.simd", 10, accepts_softmax_simd, prepare_softmax_simd},
};

}  // namespace

const OperatorRules& softmax_rules() {
  static const OperatorRules rules{plan::Attributes::Softmax, "Softmax", infer, kKernels};
  return rules;
}

}  // namespace nestrt::kernels
