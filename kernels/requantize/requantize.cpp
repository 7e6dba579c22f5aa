#include "kernels/requantize/requantize.h"

#include "kernels/common/map_elements.h"
#include "kernels/common/rules.h"
#include "kernels/common/s8c_operands.h"

namespace nestrt::kernels {
namespace {

bool is_byte(DataType type) { return type == DataType::kS8 || type == DataType::kU8; }

Status check_quantization(const OperatorSpec& spec) {
  if (s8c::has_scales(spec.inputs[0])) {
    NESTRT_RETURN_IF_ERROR(s8c::affine_of(spec.inputs[0], "the input").error());
    return spec.outputs.empty() ? Status() : s8c::affine_of(spec.outputs[0], "the output").error();
  }
  if (activation_of(spec.op->attributes_as_Requantize()->activation()).kind != plan::ActivationKind::none)
    return rule_error("an activation needs an input with a scale");
  NESTRT_RETURN_IF_ERROR(s8::exponent_of(spec.inputs[0], "the input").error());
  return spec.outputs.empty() ? Status() : s8::exponent_of(spec.outputs[0], "the output").error();
}

Result<std::vector<TensorSpec>> infer(const OperatorSpec& spec) {
  NESTRT_RETURN_IF_ERROR(expect_inputs(spec, 1, 1));
  const plan::Requantize& attributes = *spec.op->attributes_as_Requantize();
  const auto type = static_cast<DataType>(attributes.to());
  if (!is_byte(spec.inputs[0].type) || !is_byte(type))
    return rule_error("goes from " + std::string(name(spec.inputs[0].type)) + " to " + std::string(name(type)) +
                      ", expected s8 or u8");
  NESTRT_RETURN_IF_ERROR(check_activation(attributes.activation()));
  NESTRT_RETURN_IF_ERROR(check_quantization(spec));
  return single_output(type, spec.inputs[0].shape);
}

bool accepts_table(const OperatorSpec& spec) { return is_stored_map(spec) && s8c::has_scales(spec.inputs[0]); }
bool accepts_simd(const OperatorSpec& spec) { return is_stored_map(spec) && !s8c::has_scales(spec.inputs[0]); }

}  // namespace

const OperatorRules& requantize_rules() {
  static constexpr KernelVariant kVariants[] = {
      {"requantize.reference", 0, is_plain, prepare_requantize_reference},
      {"requantize.simd", 10, accepts_simd, prepare_requantize_simd},
      {"requantize.table", 10, accepts_table, prepare_requantize_reference},
  };
  static const OperatorRules rules{plan::Attributes::Requantize, "Requantize", infer, kVariants};
  return rules;
}

}  // namespace nestrt::kernels
