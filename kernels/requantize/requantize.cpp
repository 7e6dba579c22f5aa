#include "kernels/requantize/requantize.h"

#include "kernels/common/map_elements.h"
#include "kernels/common/rules.h"
#include "kernels/common/s8_operands.h"

namespace nestrt::kernels {
namespace {

Result<std::vector<TensorSpec>> infer(const OperatorSpec& spec) {
  NESTRT_RETURN_IF_ERROR(expect_inputs(spec, 1, 1));
  NESTRT_RETURN_IF_ERROR(s8::exponent_of(spec.inputs[0], "the input").error());
  if (!spec.outputs.empty()) NESTRT_RETURN_IF_ERROR(s8::exponent_of(spec.outputs[0], "the output").error());
  return single_output(DataType::kS8, spec.inputs[0].shape);
}

}  // namespace

const OperatorRules& requantize_rules() {
  static constexpr KernelVariant kVariants[] = {
      {"requantize.reference", 0, is_plain, prepare_requantize_reference},
      {"requantize.simd", 10, is_stored_map, prepare_requantize_simd},
  };
  static const OperatorRules rules{plan::Attributes::Requantize, "Requantize", infer, kVariants};
  return rules;
}

}  // namespace nestrt::kernels
