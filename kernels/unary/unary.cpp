// SPDX-License-Identifier: Apache-2.0
#include "kernels/unary/unary.h"

#include <fmt/core.h>

#include <string>

#include "kernels/common/framework/map_elements.h"
#include "kernels/common/framework/rules.h"
#include "kernels/common/framework/steps.h"
#include "kernels/common/math/channel_division.h"
#include "kernels/common/quantization/s8c_operands.h"
#include "kernels/registry.h"

namespace nestrt::kernels {
namespace {

using Kind = ops::UnaryKind;

bool supports_integers(Kind kind) {
  return kind == Kind::kRelu || kind == Kind::kClip || kind == Kind::kAbs || kind == Kind::kNeg ||
         kind == Kind::kSign || kind == Kind::kBitwiseNot;
}

bool supports(Kind kind, DataType type) {
  switch (type) {
    case DataType::kF32:
      return kind != Kind::kLogicalNot && kind != Kind::kBitwiseNot;
    case DataType::kBool:
      return kind == Kind::kLogicalNot;
    default:
      return supports_integers(kind);
  }
}

Status check_quantization(const OperatorSpec& spec) {
  const TensorSpec& input = spec.inputs[0];
  if (input.type != DataType::kS8 || input.quantization == nullptr) return {};
  const Kind kind = spec.as<ops::Unary>()->kind;
  if (kind != Kind::kRelu && kind != Kind::kClip)
    return Status(Code::kUnsupported, fmt::format("{} does not support quantized tensors", ops::name(kind)));
  NESTRT_RETURN_IF_ERROR(s8c::has_scales(input) ? s8c::affine_of(input, "the input").error()
                                                : s8::exponent_of(input, "the input").error());
  return spec.outputs.empty() ? Status() : s8::check_same_quantization(spec);
}

Result<std::vector<TensorSpec>> infer(const OperatorSpec& spec) {
  NESTRT_RETURN_IF_ERROR(expect_inputs(spec, 1, 1));
  const Kind kind = spec.as<ops::Unary>()->kind;
  const TensorSpec& input = spec.inputs[0];
  if (!supports(kind, input.type))
    return rule_error(fmt::format("{} does not support {}", ops::name(kind), name(input.type)));
  NESTRT_RETURN_IF_ERROR(check_quantization(spec));
  const bool test = kind == Kind::kIsNan || kind == Kind::kIsInf;
  return single_output(test ? DataType::kBool : input.type, input.shape);
}

bool divides(const OperatorSpec& spec) {
  const Kind kind = spec.as<ops::Unary>()->kind;
  return divides_elements(spec, 1) && (kind == Kind::kRelu || kind == Kind::kClip);
}

constexpr KernelVariant kKernels[] = {
    {"unary.reference", 0, accepts_unary_reference, prepare_unary_reference},
    {"unary.elementwise", 1, is_blocked_map, prepare_unary_reference},
    {"unary.s8.bounds", 10, accepts_unary_s8_bounds, prepare_unary_s8_bounds},
    {"unary.f32.simd", 10, accepts_unary_simd, prepare_unary_simd},
    {"unary.f32.functions", 10, accepts_unary_functions, prepare_unary_functions},
    {"unary.integers", 10, accepts_unary_integers, prepare_unary_integers},
    {"unary.tests", 10, accepts_unary_tests, prepare_unary_tests},
};

}  // namespace

template <>
const OperatorRules& rules<ops::Unary>() {
  static constexpr OperatorRules kRules{
      .kind = ops::Kind::kUnary,
      .infer = infer,
      .macs = no_macs,
      .steps = function_steps,
      .division = Division{divides, cut_channels},
      .kernels = {kKernels},
  };
  return kRules;
}

}  // namespace nestrt::kernels
