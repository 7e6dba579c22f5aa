#include "kernels/dequantize/dequantize.h"

#include "kernels/common/map_affine.h"
#include "kernels/common/rules.h"

namespace nestrt::kernels {
namespace {

Result<std::vector<TensorSpec>> infer(const OperatorSpec& spec) {
  NESTRT_RETURN_IF_ERROR(expect_inputs(spec, 1, 1));
  const TensorSpec& input = spec.inputs[0];
  NESTRT_RETURN_IF_ERROR(s8c::has_scales(input) ? s8c::affine_map_of(input, "the input").error()
                                                : s8::exponent_of(input, "the input").error());
  return single_output(DataType::kF32, input.shape);
}

bool accepts_simd(const OperatorSpec& spec) { return is_stored_s8_map(spec, spec.inputs[0]); }

}  // namespace

const OperatorRules& dequantize_rules() {
  static constexpr KernelVariant kVariants[] = {
      {"dequantize.reference", 0, is_plain, prepare_dequantize_reference},
      {"dequantize.simd", 10, accepts_simd, prepare_dequantize_simd},
  };
  static const OperatorRules rules{plan::Attributes::Dequantize, "Dequantize", infer, kVariants};
  return rules;
}

}  // namespace nestrt::kernels
