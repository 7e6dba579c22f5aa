// SPDX-License-Identifier: Apache-2.0
#include "kernels/common/quantization/integer_operands.h"

#include <fmt/core.h>

#include "kernels/common/framework/rules.h"

namespace nestrt::kernels {
namespace {

Status check_integers(const TensorSpec& tensor, std::string_view what) {
  if (tensor.layout != Layout::kPlain) return rule_error(fmt::format("{} must have the plain layout", what));
  if (tensor.type == DataType::kS8 || tensor.type == DataType::kU8) return {};
  return rule_error(fmt::format("{} is {}, expected s8 or u8", what, name(tensor.type)));
}

// `columns`: 1 for operands with a single element.
Status check_numbers(const OperatorSpec& spec, size_t input, DataType type, int64_t columns, std::string_view what) {
  if (!spec.has_input(input)) return {};
  const TensorSpec& tensor = spec.inputs[input];
  NESTRT_RETURN_IF_ERROR(expect_type(tensor, type, what));
  const bool fits = tensor.shape.num_elements() == 1 || tensor.shape == Shape{columns};
  if (fits && tensor.layout == Layout::kPlain) return {};
  return rule_error(fmt::format("{} has shape {}, expected one element{}", what, tensor.shape.to_string(),
                                columns == 1 ? "" : fmt::format(" or {}", columns)));
}

}  // namespace

Status IntegerOperands::check(const OperatorSpec& spec, int64_t columns) {
  NESTRT_RETURN_IF_ERROR(expect_inputs(spec, 2, 7));
  NESTRT_RETURN_IF_ERROR(check_integers(spec.inputs[0], "the first operand"));
  NESTRT_RETURN_IF_ERROR(check_integers(spec.inputs[1], "the second operand"));
  NESTRT_RETURN_IF_ERROR(check_numbers(spec, kZeroA, spec.inputs[0].type, 1, "the first zero point"));
  NESTRT_RETURN_IF_ERROR(check_numbers(spec, kZeroB, spec.inputs[1].type, columns, "the second zero point"));
  NESTRT_RETURN_IF_ERROR(check_numbers(spec, kScaleA, DataType::kF32, 1, "the first scale"));
  NESTRT_RETURN_IF_ERROR(check_numbers(spec, kScaleB, DataType::kF32, columns, "the second scale"));
  NESTRT_RETURN_IF_ERROR(check_numbers(spec, kBias, DataType::kF32, columns, "bias"));
  if (spec.has_input(kScaleA) != spec.has_input(kScaleB)) return rule_error("one of two scales is missing");
  if (spec.has_input(kBias) && !spec.has_input(kScaleA)) return rule_error("a bias requires scales");
  if (spec.has_input(kBias) && spec.inputs[kBias].shape != Shape{columns})
    return rule_error(fmt::format("bias is {}, expected {}", spec.inputs[kBias].shape.to_string(), columns));
  return {};
}

IntegerOperands::Numbers IntegerOperands::numbers(const OperatorSpec& spec, size_t input) {
  if (!spec.has_input(input)) return {};
  return {true, spec.inputs[input].shape.num_elements() > 1};
}

IntegerOperands::IntegerOperands(const OperatorSpec& spec)
    : a_is_u8_(spec.inputs[0].type == DataType::kU8),
      b_is_u8_(spec.inputs[1].type == DataType::kU8),
      is_scaled_(spec.has_input(kScaleA)),
      has_bias_(spec.has_input(kBias)),
      zero_a_(numbers(spec, kZeroA)),
      zero_b_(numbers(spec, kZeroB)),
      scale_b_(numbers(spec, kScaleB)) {}

}  // namespace nestrt::kernels
