// SPDX-License-Identifier: Apache-2.0
// Reads and validates the quantization of s8 operators. Conv and Dense also support s8c tensors, since only the
// epilogue differs. Errors: kInvalidModel, naming the operand; kUnsupported for quantization without exponents.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "kernels/common/quantization/s8_arithmetic.h"
#include "kernels/common/quantization/s8c_arithmetic.h"
#include "runtime/kernel/kernel.h"

namespace nestrt::kernels::s8 {

inline constexpr int kMaxExponent = 64;      // for a tensor; applies to both signs
inline constexpr int kMaxWideExponent = 96;  // for an accumulator with f32 output; applies to both signs

// Returns the exponent of an s8 tensor that must have exactly one. `what` names the operand, e.g. "the input".
Result<int> exponent_of(const TensorSpec& tensor, std::string_view what);

// How the accumulators of a Conv or Dense are converted to outputs.
struct Epilogue {
  std::vector<int> exponents;  // of the accumulators, by output channel
  std::vector<int> shifts;     // by output channel; empty for a wide output
  Rounding rounding = Rounding::kHalfUp;
  bool wide = false;  // the output is f32: accumulator * 2^-exponent
  bool has_residual = false;
  AddShifts residual_shifts;  // for the sum of the narrowed accumulator and the residual
  Bounds bounds;              // of the output

  // s8c: the factor for each output channel's accumulators, also for a wide output. Exponents and shifts are then
  // empty.
  std::vector<float> multipliers;
  int32_t input_zero = 0;   // subtracted from every input; padding adds nothing
  int32_t output_zero = 0;  // added to every output

  bool scaled() const { return !multipliers.empty(); }
  float wide_output(int32_t accumulator, int64_t channel) const {
    const auto c = static_cast<size_t>(channel);
    return scaled() ? s8c::widen(accumulator, multipliers[c]) : widen(accumulator, exponents[c]);
  }
  int8_t output(int32_t accumulator, int64_t channel) const {
    const auto c = static_cast<size_t>(channel);
    return scaled() ? s8c::narrow(accumulator, multipliers[c], output_zero, bounds)
                    : narrow(accumulator, shifts[c], rounding, bounds);
  }
  int8_t output(int32_t accumulator, int64_t channel, int8_t residual) const {
    return add(narrow(accumulator, shifts[static_cast<size_t>(channel)], rounding), residual, residual_shifts, rounding,
               bounds);
  }
};

// Require: types and shapes are valid, and weights are constant.
Result<Epilogue> conv_epilogue(const OperatorSpec& spec);
Result<Epilogue> dense_epilogue(const OperatorSpec& spec);

// Checks a Conv or Dense with s8 input: the types of its operands (input, weights, bias, residual), that weights and
// bias are constant, and that the attributes are supported for s8.
Status check_product(const OperatorSpec& spec, const Activation& activation, bool wide);

// Checks that operators with exponents support this rounding.
Status check_rounding(Rounding rounding);

// Returns the shifts that align the operands of an addition.
Result<AddShifts> binary_shifts(const OperatorSpec& spec);

// Returns kUnsupported unless the activation only narrows the bounds of s8.
Status check_s8_activation(const Activation& activation);

// For operators that copy elements unchanged, checks that every input has the same quantization as the output (which
// may be none).
Status check_same_quantization(const OperatorSpec& spec);

}  // namespace nestrt::kernels::s8
