// SPDX-License-Identifier: Apache-2.0
#include "kernels/requantize/requantize.h"

#include <fmt/core.h>

#include "kernels/common/framework/map_elements.h"
#include "kernels/common/framework/rules.h"
#include "kernels/common/framework/steps.h"
#include "kernels/common/math/channel_division.h"
#include "kernels/common/quantization/s8c_operands.h"
#include "kernels/registry.h"

namespace nestrt::kernels {
namespace {

bool is_byte(DataType type) { return type == DataType::kS8 || type == DataType::kU8; }

Status check_tensor(const TensorSpec& tensor, std::string_view what) {
  return s8c::has_scales(tensor) ? s8c::affine_of(tensor, what).error() : s8::exponent_of(tensor, what).error();
}

// Checks the form used by TensorFlow Lite: a LeakyReLU in fixed point.
Status check_leaky(const OperatorSpec& spec) {
  const ops::Requantize& op = *spec.as<ops::Requantize>();
  if (op.rounding != ops::Rounding::kHalfUpScaled || op.activation.kind != ops::ActivationKind::kLeakyRelu)
    return rule_error(fmt::format("rounding {} does not support the activation {}", ops::name(op.rounding),
                                  ops::name(op.activation.kind)));
  NESTRT_ASSIGN_OR_RETURN(const s8c::Affine from, s8c::affine_of(spec.inputs[0], "the input"));
  NESTRT_ASSIGN_OR_RETURN(const s8c::Affine to, s8c::affine_of(spec.outputs[0], "the output"));
  if (s8c::leaky_factors(from.scale, op.activation.alpha, to.scale).valid()) return {};
  return rule_error("the ratio of the scales of a LeakyReLU, or its slope, is too large");
}

Status check_quantization(const OperatorSpec& spec) {
  NESTRT_RETURN_IF_ERROR(check_tensor(spec.inputs[0], "the input"));
  if (spec.outputs.empty()) return {};
  NESTRT_RETURN_IF_ERROR(check_tensor(spec.outputs[0], "the output"));
  return ops::has_exponent_form(spec.as<ops::Requantize>()->rounding) ? Status() : check_leaky(spec);
}

Result<std::vector<TensorSpec>> infer(const OperatorSpec& spec) {
  NESTRT_RETURN_IF_ERROR(expect_inputs(spec, 1, 1));
  const ops::Requantize& attributes = *spec.as<ops::Requantize>();
  const DataType type = attributes.to;
  if (!is_byte(spec.inputs[0].type) || !is_byte(type))
    return rule_error(fmt::format("the types are {} and {}, expected s8 or u8", name(spec.inputs[0].type), name(type)));
  NESTRT_RETURN_IF_ERROR(check_quantization(spec));
  return single_output(type, spec.inputs[0].shape);
}

bool accepts_table(const OperatorSpec& spec) { return is_stored_map(spec) && !shifts_elements(spec); }
bool accepts_simd(const OperatorSpec& spec) { return is_stored_map(spec) && shifts_elements(spec); }

bool divides(const OperatorSpec& spec) { return divides_elements(spec, 1); }

constexpr KernelVariant kKernels[] = {
    {"requantize.reference", 0, is_plain, prepare_requantize_reference},
    {"requantize.simd", 10, accepts_simd, prepare_requantize_simd},
    {"requantize.table", 10, accepts_table, prepare_requantize_reference},
};

}  // namespace

bool shifts_elements(const OperatorSpec& spec) {
  return !s8c::has_scales(spec.inputs[0]) && !s8c::has_scales(spec.outputs[0]) &&
         s8::has_bounds(spec.as<ops::Requantize>()->activation.kind);
}

template <>
const OperatorRules& rules<ops::Requantize>() {
  static constexpr OperatorRules kRules{
      .kind = ops::Kind::kRequantize,
      .infer = infer,
      .macs = no_macs,
      .steps = copy_steps,
      .division = Division{divides, cut_channels},
      .kernels = {kKernels},
  };
  return kRules;
}

}  // namespace nestrt::kernels
