// What s8 operators read from the quantization of their tensors, checked completely. Conv and Dense take s8c tensors
// too, since only the epilogue differs. Errors: kInvalidModel, naming the operand, or kUnsupported for quantization
// that has no exponents.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "kernels/common/quantization/s8_arithmetic.h"
#include "kernels/common/quantization/s8c_arithmetic.h"
#include "nestrt/driver/kernel.h"

namespace nestrt::kernels::s8 {

inline constexpr int kMaxExponent = 64;      // a tensor's, either sign
inline constexpr int kMaxWideExponent = 96;  // an accumulator's that goes out as f32, either sign

// The exponent of an s8 tensor that has one. `what` names the operand: "the input".
Result<int> exponent_of(const TensorSpec& tensor, std::string_view what);

// What becomes of the accumulators of a Conv or Dense.
struct Epilogue {
  std::vector<int> exponents;  // the accumulators', by output channel
  std::vector<int> shifts;     // by output channel; empty for a wide output
  Rounding rounding = Rounding::kHalfUp;
  bool wide = false;  // the output is f32: accumulator * 2^-exponent
  bool has_residual = false;
  AddShifts residual_shifts;  // for the sum of the narrowed accumulator and the residual
  Bounds bounds;              // the output's

  // s8c: what accumulators are multiplied by, by output channel, for a wide output too; exponents and shifts are empty.
  std::vector<float> multipliers;
  int32_t input_zero = 0;   // taken off every input; padding adds nothing
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

// Requires: types and shapes are right, weights are constant.
Result<Epilogue> conv_epilogue(const OperatorSpec& spec);
Result<Epilogue> dense_epilogue(const OperatorSpec& spec);

// The types of a Conv's or Dense's operands (input, weights, bias, residual) where the input is s8, that weights and
// bias are constant, and that the attributes have an s8 form.
Status check_product(const OperatorSpec& spec, const Activation& activation, bool wide);

// How an Add aligns its operands.
Result<AddShifts> binary_shifts(const OperatorSpec& spec);

// Refuses an activation other than those that narrow the bounds of s8.
Status check_s8_activation(const Activation& activation);

// For operators that take elements as they are: every input has the quantization of the output, which may be none.
Status check_same_quantization(const OperatorSpec& spec);

}  // namespace nestrt::kernels::s8
