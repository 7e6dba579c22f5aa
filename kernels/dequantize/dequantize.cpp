#include "kernels/dequantize/dequantize.h"

#include "kernels/common/map_elements.h"
#include "kernels/common/rules.h"
#include "kernels/common/s8_operands.h"

namespace nestrt::kernels {
namespace {

Result<std::vector<TensorSpec>> infer(const OperatorSpec& spec) {
  NESTRT_RETURN_IF_ERROR(expect_inputs(spec, 1, 1));
  NESTRT_RETURN_IF_ERROR(s8::exponent_of(spec.inputs[0], "the input").error());
  return single_output(DataType::kF32, spec.inputs[0].shape);
}

}  // namespace

const OperatorRules& dequantize_rules() {
  static constexpr KernelVariant kVariants[] = {
      {"dequantize.reference", 0, is_plain, prepare_dequantize_reference},
      {"dequantize.simd", 10, is_stored_map, prepare_dequantize_simd},
  };
  static const OperatorRules rules{plan::Attributes::Dequantize, "Dequantize", infer, kVariants};
  return rules;
}

}  // namespace nestrt::kernels
