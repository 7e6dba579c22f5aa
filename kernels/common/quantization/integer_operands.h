// SPDX-License-Identifier: Apache-2.0
// The operands shared by MatMulInteger and ConvInteger: zero points, scales and bias, which may be computed at run
// time.
#pragma once

#include <cstdint>

#include "runtime/kernel/kernel.h"

namespace nestrt::kernels {

class IntegerOperands {
 public:
  // Checks the types, number and shapes of all operands. `columns`: the number of columns or output channels.
  static Status check(const OperatorSpec& spec, int64_t columns);
  // Requires: check() accepts the operator.
  explicit IntegerOperands(const OperatorSpec& spec);

  // Returns whether the results are f32.
  bool is_scaled() const { return is_scaled_; }
  bool has_bias() const { return has_bias_; }
  // Returns whether the s8 zero points of the weights may differ from 0. (An unsigned zero point of 128 is 0 in s8.)
  bool has_weight_zeros() const { return zero_b_.present || b_is_u8_; }
  bool a_is_u8() const { return a_is_u8_; }
  bool b_is_u8() const { return b_is_u8_; }

  // Return zero points as stored, without converting u8 to s8.
  int32_t input_zero(const KernelCall& call) const { return zero_a_.integer(call, kZeroA, 0, a_is_u8_); }
  int32_t weight_zero(const KernelCall& call, int64_t n) const { return zero_b_.integer(call, kZeroB, n, b_is_u8_); }
  // Returns the factor for the sums of column n. Requires: is_scaled().
  float scale(const KernelCall& call, int64_t n) const {
    return call.input<float>(kScaleA)[0] * call.input<float>(kScaleB)[scale_b_.per_column ? n : 0];
  }
  float bias(const KernelCall& call, int64_t n) const { return has_bias_ ? call.input<float>(kBias)[n] : 0.0f; }
  // Returns the result for a sum of products.
  float scaled(const KernelCall& call, int32_t sum, int64_t n) const {
    return static_cast<float>(sum) * scale(call, n) + bias(call, n);
  }

 private:
  static constexpr size_t kZeroA = 2, kZeroB = 3, kScaleA = 4, kScaleB = 5, kBias = 6;  // inputs

  // An operand with one value, or one value per column.
  struct Numbers {
    bool present = false;
    bool per_column = false;

    int32_t integer(const KernelCall& call, size_t input, int64_t n, bool is_u8) const {
      if (!present) return 0;
      const int64_t at = per_column ? n : 0;
      return is_u8 ? call.input<uint8_t>(input)[at] : call.input<int8_t>(input)[at];
    }
  };
  static Numbers numbers(const OperatorSpec& spec, size_t input);

  bool a_is_u8_, b_is_u8_, is_scaled_, has_bias_;
  Numbers zero_a_, zero_b_, scale_b_;
};

// Returns element i of an s8 or u8 tensor.
inline int32_t integer_at(const std::byte* elements, bool is_u8, int64_t i) {
  return is_u8 ? static_cast<int32_t>(reinterpret_cast<const uint8_t*>(elements)[i])
               : static_cast<int32_t>(reinterpret_cast<const int8_t*>(elements)[i]);
}

}  // namespace nestrt::kernels
