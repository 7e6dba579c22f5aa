// SPDX-License-Identifier: Apache-2.0
// The arithmetic of s8 tensors. This is the reference definition for every kernel, every NPU program and the compiler;
// tests check that all of them are bit-identical to it. docs/concepts/numerics.md describes it in words.
//
// An s8 tensor holds integers q that represent q * 2^-exponent. Sums are int32 and wrap; the compiler proves that the
// sums in its plans do not. Results do not depend on the processor, because the code uses only integers and exact f32
// operations.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

#include "kernels/common/math/activation.h"
#include "nestrt/driver/operators.h"

namespace nestrt::kernels::s8 {

using ops::Rounding;

inline constexpr int32_t kLow = -128;
inline constexpr int32_t kHigh = 127;
inline constexpr int kMaxShift = 31;  // right shift of an accumulator
// left shift of an operand of an addition; the sum of two operands stays below 2^28
inline constexpr int kMaxAlignment = 20;
inline constexpr int64_t kMaxWindow = int64_t{1} << 23;  // maximum number of elements in a window whose sum fits int32
inline constexpr int kReciprocalBits = 24;

// The limits of a result: [kLow, kHigh], or a narrower range set by an activation.
struct Bounds {
  int32_t low = kLow;
  int32_t high = kHigh;
};

inline int8_t clip(int64_t value, Bounds bounds = {}) {
  const int64_t raised = value < bounds.low ? bounds.low : value;
  return static_cast<int8_t>(raised > bounds.high ? bounds.high : raised);
}

inline int32_t wrapping_add(int32_t a, int32_t b) {
  return static_cast<int32_t>(static_cast<uint32_t>(a) + static_cast<uint32_t>(b));
}

// `a` is an element, or an element minus a zero point.
inline int32_t multiply_add(int32_t sum, int32_t a, int8_t b) { return wrapping_add(sum, a * int32_t{b}); }

// Returns the term to add before a shift to obtain the given rounding. Kernels may instead add it to the bias in
// advance, because addition wraps.
inline int32_t rounding_term(int shift, Rounding rounding) {
  return shift == 0 || rounding == Rounding::kFloor ? 0 : int32_t{1} << (shift - 1);
}

// Shifts a value to which the rounding term has been added. For half_even, first subtracts 1 if the result would be
// odd. This affects only ties, because no other value is a multiple of 2^shift.
inline int32_t shift_raised(int32_t raised, int shift, Rounding rounding) {
  const bool is_odd = ((raised >> shift) & 1) != 0;
  return (rounding == Rounding::kHalfEven && shift > 0 && is_odd ? wrapping_add(raised, -1) : raised) >> shift;
}

// Shifts arithmetically. Requires: 0 <= shift <= kMaxShift.
inline int32_t shift_right(int32_t value, int shift, Rounding rounding) {
  return shift_raised(wrapping_add(value, rounding_term(shift, rounding)), shift, rounding);
}

// Converts an accumulator with exponent `e` to s8 with exponent `e - shift`.
inline int8_t narrow(int32_t accumulator, int shift, Rounding rounding, Bounds bounds = {}) {
  return clip(shift_right(accumulator, shift, rounding), bounds);
}

// Converts an accumulator to f32 for a wide output. Accumulators of more than 24 bits are rounded once, to nearest
// even. Requires: |exponent| <= 96, so that results stay in the range of f32.
inline float widen(int32_t accumulator, int exponent) { return std::ldexp(static_cast<float>(accumulator), -exponent); }

// Returns 2^exponent. Multiplying by it is exact within the range of double. Requires: |exponent| <= 1022.
inline double power_of_two(int exponent) { return std::bit_cast<double>(static_cast<uint64_t>(1023 + exponent) << 52); }

// Rounds a real number of steps to an integer. The sum in double is exact for f32 values within the limits of s8.
inline double round_steps(double steps, Rounding rounding) {
  if (rounding == Rounding::kHalfEven) return std::nearbyint(steps);
  return std::floor(rounding == Rounding::kFloor ? steps : steps + 0.5);
}

// Converts x to s8 with the given exponent. x * 2^exponent is exact. NaN becomes 0.
inline int8_t quantize(float x, int exponent, Rounding rounding = Rounding::kHalfUp) {
  const double scaled = x * power_of_two(exponent);
  if (!(scaled > kLow)) return scaled == scaled ? static_cast<int8_t>(kLow) : int8_t{0};
  if (scaled >= kHigh) return static_cast<int8_t>(kHigh);
  return clip(static_cast<int64_t>(round_steps(scaled, rounding)));
}

inline float dequantize(int8_t q, int exponent) { return static_cast<float>(q * power_of_two(-exponent)); }

// Converts between any two exponents.
inline int8_t requantize(int8_t q, int from, int to, Rounding rounding, Bounds bounds = {}) {
  const int shift = from - to;
  if (shift >= 0) return clip(shift_right(q, shift < kMaxShift ? shift : kMaxShift, rounding), bounds);
  const int left = -shift < 8 ? -shift : 8;  // a shift by 8 moves every value except 0 beyond the limits
  return clip(int32_t{q} * (int32_t{1} << left), bounds);
}

// The shifts that compute a + b with different exponents. Both operands are shifted left to the larger exponent, and
// the sum is shifted right to the exponent of the output.
struct AddShifts {
  int left_a = 0;
  int left_b = 0;
  int right = 0;

  // Returns whether kernels support the shifts, so that additions never wrap.
  bool valid() const { return left_a <= kMaxAlignment && left_b <= kMaxAlignment && right >= 0 && right <= kMaxShift; }
};

inline AddShifts add_shifts(int exponent_a, int exponent_b, int exponent_out) {
  const int common = exponent_a > exponent_b ? exponent_a : exponent_b;
  return {common - exponent_a, common - exponent_b, common - exponent_out};
}

inline int8_t add(int8_t a, int8_t b, const AddShifts& shifts, Rounding rounding, Bounds bounds = {}) {
  const int32_t sum = int32_t{a} * (int32_t{1} << shifts.left_a) + int32_t{b} * (int32_t{1} << shifts.left_b);
  return narrow(sum, shifts.right, rounding, bounds);
}

// Returns the exact quotient, rounded half to even. Requires: count > 0.
inline int64_t divide_half_even(int64_t sum, int64_t count) {
  const int64_t below = sum / count - (sum % count < 0 ? 1 : 0);  // rounded down
  const int64_t twice_rest = 2 * (sum - below * count);
  return below + (twice_rest > count || (twice_rest == count && below % 2 != 0) ? 1 : 0);
}

// Returns the average of a window: `sum` divided by `count`. Divides by powers of two by shifting. Input and output
// have the same exponent. An empty window gives 0. Requires: 0 <= count <= kMaxWindow.
inline int8_t average(int32_t sum, int64_t count, Rounding rounding) {
  if (count <= 0) return 0;
  const auto divisor = static_cast<uint64_t>(count);
  if (std::has_single_bit(divisor)) return narrow(sum, std::countr_zero(divisor), rounding);
  if (rounding == Rounding::kHalfEven) return clip(divide_half_even(sum, count));
  const int64_t one = int64_t{1} << kReciprocalBits;
  const int64_t reciprocal = (one + count / 2) / count;
  const int64_t half = rounding == Rounding::kFloor ? 0 : one / 2;
  return clip((sum * reciprocal + half) >> kReciprocalBits);
}

// Returns whether a fused activation can be expressed as bounds, which activation_bounds() requires.
inline bool has_bounds(ops::ActivationKind kind) {
  return kind == ops::ActivationKind::kNone || kind == ops::ActivationKind::kRelu || kind == ops::ActivationKind::kClip;
}

// Returns the bounds set by a fused activation of an operator with this rounding.
inline Bounds activation_bounds(const Activation& activation, int exponent, Rounding rounding) {
  if (activation.kind == ops::ActivationKind::kRelu) return {0, kHigh};
  if (activation.kind != ops::ActivationKind::kClip) return {};
  const Rounding nearest = rounding == Rounding::kHalfEven ? rounding : Rounding::kHalfUp;
  return {quantize(activation.alpha, exponent, nearest), quantize(activation.beta, exponent, nearest)};
}

}  // namespace nestrt::kernels::s8
