#include "kernels/unary/unary.h"

#include <array>
#include <string>

#include "kernels/common/map_elements.h"
#include "kernels/common/rules.h"
#include "kernels/common/s8c_operands.h"

namespace nestrt::kernels {
namespace {

using Kind = plan::UnaryKind;

bool takes_integers(Kind kind) {
  return kind == Kind::relu || kind == Kind::clip || kind == Kind::abs || kind == Kind::neg || kind == Kind::sign;
}

bool takes(Kind kind, DataType type) {
  switch (type) {
    case DataType::kF32:
      return kind != Kind::logical_not;
    case DataType::kBool:
      return kind == Kind::logical_not;
    default:
      return takes_integers(kind);
  }
}

Status check_quantization(const OperatorSpec& spec) {
  const TensorSpec& input = spec.inputs[0];
  if (input.type != DataType::kS8 || input.quantization == nullptr) return {};
  const Kind kind = spec.op->attributes_as_Unary()->kind();
  if (kind != Kind::relu && kind != Kind::clip)
    return Status(Code::kUnsupported, std::string(plan::EnumNameUnaryKind(kind)) + " does not take quantized tensors");
  NESTRT_RETURN_IF_ERROR(s8c::has_scales(input) ? s8c::affine_of(input, "the input").error()
                                                : s8::exponent_of(input, "the input").error());
  return spec.outputs.empty() ? Status() : s8::check_same_quantization(spec);
}

Result<std::vector<TensorSpec>> infer(const OperatorSpec& spec) {
  NESTRT_RETURN_IF_ERROR(expect_inputs(spec, 1, 1));
  const Kind kind = spec.op->attributes_as_Unary()->kind();
  const std::string kind_name = plan::EnumNameUnaryKind(kind);
  if (kind_name.empty()) return rule_error("kind " + std::to_string(static_cast<int>(kind)) + " does not exist");
  const TensorSpec& input = spec.inputs[0];
  if (!takes(kind, input.type)) return rule_error(kind_name + " does not take " + std::string(name(input.type)));
  NESTRT_RETURN_IF_ERROR(check_quantization(spec));
  const bool test = kind == Kind::is_nan || kind == Kind::is_inf;
  return single_output(test ? DataType::kBool : input.type, input.shape);
}

constexpr std::array kKernels = {
    KernelVariant{"unary.reference", 0, accepts_unary_reference, prepare_unary_reference},
    KernelVariant{"unary.elementwise", 1, is_blocked_map, prepare_unary_reference},
    KernelVariant{"unary.s8.bounds", 10, accepts_unary_s8_bounds, prepare_unary_s8_bounds},
    KernelVariant{"unary.f32.simd", 10, accepts_unary_simd, prepare_unary_simd},
};

}  // namespace

const OperatorRules& unary_rules() {
  static const OperatorRules rules{plan::Attributes::Unary, "Unary", infer, kKernels};
  return rules;
}

}  // namespace nestrt::kernels
