#include "kernels/quantize/quantize.h"

#include "kernels/common/map_affine.h"
#include "kernels/common/rules.h"

namespace nestrt::kernels {
namespace {

Status check_output(const TensorSpec& output) {
  if (s8c::has_scales(output)) return s8c::affine_map_of(output, "the output").error();
  return s8::exponent_of(output, "the output").error();
}

Result<std::vector<TensorSpec>> infer(const OperatorSpec& spec) {
  NESTRT_RETURN_IF_ERROR(expect_inputs(spec, 1, 1));
  NESTRT_RETURN_IF_ERROR(expect_type(spec.inputs[0], DataType::kF32, "the input"));
  const auto type = static_cast<DataType>(spec.op->attributes_as_Quantize()->to());
  if (type != DataType::kS8 && type != DataType::kU8)
    return rule_error("gives " + std::string(name(type)) + ", expected s8 or u8");
  if (!spec.outputs.empty()) NESTRT_RETURN_IF_ERROR(check_output(spec.outputs[0]));
  return single_output(type, spec.inputs[0].shape);
}

bool accepts_simd(const OperatorSpec& spec) { return is_stored_s8_map(spec, spec.outputs[0]); }

}  // namespace

const OperatorRules& quantize_rules() {
  static constexpr KernelVariant kVariants[] = {
      {"quantize.reference", 0, is_plain, prepare_quantize_reference},
      {"quantize.simd", 10, accepts_simd, prepare_quantize_simd},
  };
  static const OperatorRules rules{plan::Attributes::Quantize, "Quantize", infer, kVariants};
  return rules;
}

}  // namespace nestrt::kernels
