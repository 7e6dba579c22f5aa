// SPDX-License-Identifier: Apache-2.0
// The arithmetic of s8c tensors: integers with a real scale and a zero point, as in the QDQ and QLinear operators of
// ONNX. This is the reference definition; tests check that every kernel is bit-identical to it.
// docs/concepts/numerics.md describes it in words.
//
// Results follow ONNX Runtime: int32 sums, one multiplication in f32, rounding to nearest even. No f32 product is an
// operand of an addition, so compilers cannot contract expressions, and results do not depend on the processor.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "kernels/common/quantization/s8_arithmetic.h"

namespace nestrt::kernels::s8c {

using s8::Bounds;

// An integer q represents (q - zero_point) * scale. The scale is positive and finite, and the zero point is a valid
// value of q.
struct Affine {
  float scale = 1;
  int32_t zero_point = 0;

  bool operator==(const Affine& other) const { return scale == other.scale && zero_point == other.zero_point; }
};

// Rounds a real number of steps from zero to an integer within the bounds; NaN counts as 0. Clipping to integer bounds
// before rounding gives the same result and keeps the rounded values small.
inline int32_t from_steps(float steps, int32_t zero_point, Bounds bounds) {
  if (steps != steps) steps = 0;
  const float raised = std::max(steps, static_cast<float>(bounds.low - zero_point));
  const float limited = std::min(raised, static_cast<float>(bounds.high - zero_point));
  return static_cast<int32_t>(std::nearbyint(limited)) + zero_point;
}

template <typename T>
Bounds bounds_of_type() {
  return {std::numeric_limits<T>::min(), std::numeric_limits<T>::max()};
}

// T is int8_t or uint8_t.
template <typename T>
T quantize(float x, Affine to) {
  return static_cast<T>(from_steps(x / to.scale, to.zero_point, bounds_of_type<T>()));
}

// `q` is an element of type s8, u8 or s32.
inline float dequantize(int32_t q, Affine from) {
  return static_cast<float>(int64_t{q} - from.zero_point) * from.scale;
}

// Accumulators of Conv, Dense and average pools: sums of (x - zero point) * w, plus bias.

// Returns the factor that converts an accumulator to quantization steps of the output.
inline float multiplier(float input_scale, float weight_scale, float output_scale) {
  return input_scale * weight_scale / output_scale;
}

inline int8_t narrow(int32_t accumulator, float multiplier, int32_t zero_point, Bounds bounds = {}) {
  return static_cast<int8_t>(from_steps(static_cast<float>(accumulator) * multiplier, zero_point, bounds));
}

// Returns the f32 value of a wide output; `scale` is the input scale times the weight scale.
inline float widen(int32_t accumulator, float scale) { return static_cast<float>(accumulator) * scale; }

// Returns the sum of (x - zero point) over a window, divided by `count` elements. An empty window gives zero.
inline int8_t average(int32_t sum, int64_t count, float input_scale, Affine to) {
  if (count <= 0) return static_cast<int8_t>(to.zero_point);
  return narrow(sum, input_scale / (to.scale * static_cast<float>(count)), to.zero_point);
}

// Addition in fixed point. The larger factor has 20 or 21 bits, so that the sum and its rounding fit int32.

struct AddFactors {
  int32_t a = 0;  // factor of (element of a - zero point of a)
  int32_t b = 0;
  int shift = 0;  // right shift of the sum

  bool valid() const { return std::max(a, b) <= kLimit; }
  static constexpr int32_t kLimit = int32_t{1} << 21;
};

// The result is invalid if the scale of an operand is about 2^21 times the output scale or more.
inline AddFactors add_factors(float scale_a, float scale_b, float scale_out) {
  const double a = double{scale_a} / double{scale_out}, b = double{scale_b} / double{scale_out};
  const int shift = std::clamp(20 - std::ilogb(std::max(a, b)), 0, s8::kMaxShift);
  const auto fixed = [shift](double factor) {
    return static_cast<int32_t>(std::nearbyint(std::min(std::ldexp(factor, shift), 2.0 * AddFactors::kLimit)));
  };
  return {fixed(a), fixed(b), shift};
}

// Rounds half to even. Requires: value + 2^(shift - 1) fits int32.
inline int32_t shift_right_even(int32_t value, int shift) {
  if (shift == 0) return value;
  const int32_t odd = (value >> shift) & 1;
  return (value + (int32_t{1} << (shift - 1)) - 1 + odd) >> shift;
}

// a and b are elements minus their zero points.
inline int8_t add(int32_t a, int32_t b, const AddFactors& factors, int32_t zero_point, Bounds bounds = {}) {
  return s8::clip(int64_t{shift_right_even(a * factors.a + b * factors.b, factors.shift)} + zero_point, bounds);
}

// Returns the limits set by a fused activation; requires s8::has_bounds().
inline Bounds activation_bounds(const Activation& activation, Affine to) {
  if (activation.kind == ops::ActivationKind::kRelu) return {to.zero_point, s8::kHigh};
  if (activation.kind != ops::ActivationKind::kClip) return {};
  return {quantize<int8_t>(activation.alpha, to), quantize<int8_t>(activation.beta, to)};
}

}  // namespace nestrt::kernels::s8c
