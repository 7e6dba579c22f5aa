// SPDX-License-Identifier: Apache-2.0
#include "kernels/common/quantization/s8_operands.h"

#include <fmt/core.h>

#include <cmath>
#include <cstdlib>
#include <string>

#include "kernels/common/framework/rules.h"
#include "kernels/common/quantization/s8c_operands.h"

namespace nestrt::kernels::s8 {
namespace {

// Returns the exponents of `tensor`: one for the whole tensor, or `channels` of them along `axis`.
Result<std::span<const int8_t>> exponents_of(const TensorSpec& tensor, int axis, int64_t channels,
                                             std::string_view what) {
  const std::string operand(what);
  if (tensor.type != DataType::kS8) return rule_error(fmt::format("{} is {}, expected s8", operand, name(tensor.type)));
  if (tensor.quantization == nullptr) return rule_error(fmt::format("{} is s8 but has no quantization", operand));
  const std::span<const int8_t> exponents = tensor.quantization->exponents;
  if (exponents.empty())
    return Status(Code::kUnsupported, fmt::format("{} has no exponents: only scales of 2^-e are supported", operand));
  const int stated = tensor.quantization->axis;
  const bool fits =
      stated == -1 ? exponents.size() == 1 : stated == axis && exponents.size() == static_cast<size_t>(channels);
  if (!fits)
    return rule_error(fmt::format("{} has {} exponents along axis {}, expected one{}", operand, exponents.size(),
                                  stated, axis < 0 ? "" : fmt::format(" or {} along axis {}", channels, axis)));
  for (int exponent : exponents)
    if (std::abs(exponent) > kMaxExponent)
      return rule_error(fmt::format("{} has exponent {}, expected -64 to 64", operand, exponent));
  return exponents;
}

// The attributes that Conv and Dense share.
struct Product {
  int output_axis;  // of the weights
  Activation activation;
  Rounding rounding;
  bool wide;
  int inner_exponent;
};

Status set_shifts(int narrowed_exponent, Epilogue* epilogue) {
  for (int exponent : epilogue->exponents) {
    const int shift = exponent - narrowed_exponent;
    if (shift < 0 || shift > kMaxShift)
      return rule_error(fmt::format(
          "an accumulator with exponent {} cannot be converted to s8 with exponent {}: the shift must be 0 to 31",
          exponent, narrowed_exponent));
    epilogue->shifts.push_back(shift);
  }
  return {};
}

Status check_shifts(const AddShifts& shifts) {
  if (shifts.valid()) return {};
  return rule_error(
      fmt::format("the operands of an s8 addition would be shifted left by {} and {} and the sum by {} to the "
                  "right; expected at most 20 and 0 to 31",
                  shifts.left_a, shifts.left_b, shifts.right));
}

// Returns the scales of s8c weights, one per output channel. The zero points must be 0.
Result<std::vector<float>> weight_scales(const TensorSpec& weights, int axis) {
  NESTRT_ASSIGN_OR_RETURN(const s8c::AffineMap map, s8c::affine_map_of(weights, "the weights"));
  const int stated = weights.quantization->axis;
  if (stated != -1 && stated != axis)
    return rule_error(fmt::format("the weights have scales along axis {}, expected axis {}", stated, axis));
  std::vector<float> scales(static_cast<size_t>(weights.shape[axis]));
  for (size_t c = 0; c < scales.size(); ++c) {
    const s8c::Affine& entry = map.entries[map.entries.size() == 1 ? 0 : c];
    if (entry.zero_point != 0)
      return rule_error(fmt::format("the weights have zero point {}, expected 0", entry.zero_point));
    scales[c] = entry.scale;
  }
  return scales;
}

Result<Epilogue> scaled_epilogue(const OperatorSpec& spec, const Product& product) {
  NESTRT_ASSIGN_OR_RETURN(const s8c::Affine input, s8c::affine_of(spec.inputs[0], "the input"));
  NESTRT_ASSIGN_OR_RETURN(const std::vector<float> scales, weight_scales(spec.inputs[1], product.output_axis));
  if (spec.has_input(3)) return rule_error("a residual is not supported for tensors with scales");
  Epilogue epilogue;
  epilogue.wide = product.wide;
  epilogue.input_zero = input.zero_point;
  s8c::Affine output;  // scale 1 if the output is wide
  if (!product.wide) {
    NESTRT_ASSIGN_OR_RETURN(output, s8c::affine_of(spec.outputs[0], "the output"));
    epilogue.bounds = s8c::activation_bounds(product.activation, output);
  }
  epilogue.output_zero = output.zero_point;
  for (float scale : scales) {
    epilogue.multipliers.push_back(s8c::multiplier(input.scale, scale, output.scale));
    if (!std::isfinite(epilogue.multipliers.back()))
      return rule_error(
          fmt::format("the scales of input, weights and output give a factor that is not finite: {} * {} / {}",
                      input.scale, scale, output.scale));
  }
  return epilogue;
}

Result<Epilogue> epilogue_of(const OperatorSpec& spec, const Product& product) {
  if (s8c::has_scales(spec.inputs[0])) return scaled_epilogue(spec, product);
  NESTRT_RETURN_IF_ERROR(check_rounding(product.rounding));
  const int64_t channels = spec.inputs[1].shape[product.output_axis];
  NESTRT_ASSIGN_OR_RETURN(const int input, exponent_of(spec.inputs[0], "the input"));
  NESTRT_ASSIGN_OR_RETURN(const auto weights,
                          exponents_of(spec.inputs[1], product.output_axis, channels, "the weights"));
  Epilogue epilogue;
  epilogue.rounding = product.rounding;
  epilogue.wide = product.wide;
  for (int64_t c = 0; c < channels; ++c)
    epilogue.exponents.push_back(input + weights[weights.size() == 1 ? 0 : static_cast<size_t>(c)]);
  if (product.wide) {
    for (int exponent : epilogue.exponents)
      if (std::abs(exponent) > kMaxWideExponent)
        return rule_error(fmt::format("a wide output has exponent {}, expected -96 to 96", exponent));
    return epilogue;
  }
  NESTRT_ASSIGN_OR_RETURN(const int output, exponent_of(spec.outputs[0], "the output"));
  epilogue.bounds = activation_bounds(product.activation, output, product.rounding);
  epilogue.has_residual = spec.has_input(3);
  int narrowed = output;
  if (epilogue.has_residual) {
    narrowed = product.inner_exponent;
    NESTRT_ASSIGN_OR_RETURN(const int residual, exponent_of(spec.inputs[3], "the residual"));
    epilogue.residual_shifts = add_shifts(narrowed, residual, output);
    NESTRT_RETURN_IF_ERROR(check_shifts(epilogue.residual_shifts));
  }
  NESTRT_RETURN_IF_ERROR(set_shifts(narrowed, &epilogue));
  return epilogue;
}

bool same_quantization(const plan::Quantization* a, const plan::Quantization* b) {
  if (a == nullptr || b == nullptr) return a == b;
  return *a == *b;
}

}  // namespace

Result<int> exponent_of(const TensorSpec& tensor, std::string_view what) {
  NESTRT_ASSIGN_OR_RETURN(const auto exponents, exponents_of(tensor, -1, 1, what));
  return int{exponents[0]};
}

Result<Epilogue> conv_epilogue(const OperatorSpec& spec) {
  const ops::Conv& conv = *spec.as<ops::Conv>();
  return epilogue_of(spec, {0, conv.activation, conv.rounding, conv.wide_output, conv.inner_exponent});
}

Result<Epilogue> dense_epilogue(const OperatorSpec& spec) {
  const ops::Dense& dense = *spec.as<ops::Dense>();
  return epilogue_of(spec, {1, dense.activation, dense.rounding, dense.wide_output, 0});
}

Status check_product(const OperatorSpec& spec, const Activation& activation, bool wide) {
  static constexpr const char* kNames[] = {"the input", "weights", "bias", "residual"};
  static constexpr DataType kTypes[] = {DataType::kS8, DataType::kS8, DataType::kS32, DataType::kS8};
  for (size_t i = 0; i < spec.inputs.size(); ++i) {
    if (!spec.has_input(i)) continue;
    NESTRT_RETURN_IF_ERROR(expect_type(spec.inputs[i], kTypes[i], kNames[i]));
    if ((i == 1 || i == 2) && spec.inputs[i].constant == nullptr)
      return Status(Code::kUnsupported, fmt::format("{} must be constant if the input is s8", kNames[i]));
  }
  NESTRT_RETURN_IF_ERROR(check_s8_activation(activation));
  if (wide && activation.kind != ops::ActivationKind::kNone)
    return rule_error("a wide output does not support an activation");
  if (wide && spec.has_input(3)) return rule_error("a wide output does not support a residual");
  return {};
}

Status check_rounding(ops::Rounding rounding) {
  if (ops::has_exponent_form(rounding)) return {};
  return rule_error(fmt::format("rounding {} requires tensors with scales", ops::name(rounding)));
}

Result<AddShifts> binary_shifts(const OperatorSpec& spec) {
  NESTRT_RETURN_IF_ERROR(check_rounding(spec.as<ops::Binary>()->rounding));
  NESTRT_ASSIGN_OR_RETURN(const int a, exponent_of(spec.inputs[0], "input 0"));
  NESTRT_ASSIGN_OR_RETURN(const int b, exponent_of(spec.inputs[1], "input 1"));
  NESTRT_ASSIGN_OR_RETURN(const int output, exponent_of(spec.outputs[0], "the output"));
  const AddShifts shifts = add_shifts(a, b, output);
  NESTRT_RETURN_IF_ERROR(check_shifts(shifts));
  return shifts;
}

Status check_s8_activation(const Activation& activation) {
  if (has_bounds(activation.kind)) return {};
  return Status(Code::kUnsupported,
                fmt::format("activation {} has no s8 form; expected none, relu or clip", ops::name(activation.kind)));
}

Status check_same_quantization(const OperatorSpec& spec) {
  for (const TensorSpec& input : spec.inputs)
    if (input.present && input.type != DataType::kF32 &&
        !same_quantization(input.quantization, spec.outputs[0].quantization))
      return rule_error("the quantization of an input differs from that of the output; insert a Requantize");
  return {};
}

}  // namespace nestrt::kernels::s8
