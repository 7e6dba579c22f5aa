// SPDX-License-Identifier: Apache-2.0
// The arithmetic of s8c tensors: integers with a real scale and a zero point, as in the QDQ and QLinear operators of
// ONNX. This is the reference definition; tests check that every kernel is bit-identical to it.
// docs/concepts/numerics.md describes it in words.
//
// Results follow ONNX Runtime: int32 sums, one multiplication in f32, rounding to nearest even. No f32 product is an
// operand of an addition, so compilers cannot fuse operations and results do not depend on the processor.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
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

// Rounds a real number of steps from zero to an integer within the bounds. NaN counts as 0. Clamping before rounding
// gives the same result, because the bounds are integers, and keeps the rounded values small.
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

// T: int8_t or uint8_t.
template <typename T>
T quantize(float x, Affine to) {
  return static_cast<T>(from_steps(x / to.scale, to.zero_point, bounds_of_type<T>()));
}

// `q` is an element of type s8, u8 or s32.
inline float dequantize(int32_t q, Affine from) {
  return static_cast<float>(int64_t{q} - from.zero_point) * from.scale;
}

// Accumulators of Conv, Dense and average pools: the sum of (x - zero point) * w, plus bias.

// Returns the factor that converts an accumulator to quantization steps of the output.
inline float multiplier(float input_scale, float weight_scale, float output_scale) {
  return input_scale * weight_scale / output_scale;
}

inline int8_t narrow(int32_t accumulator, float multiplier, int32_t zero_point, Bounds bounds = {}) {
  return static_cast<int8_t>(from_steps(static_cast<float>(accumulator) * multiplier, zero_point, bounds));
}

// Returns the f32 value of a wide output; `scale` is the input scale times the weight scale.
inline float widen(int32_t accumulator, float scale) { return static_cast<float>(accumulator) * scale; }

// Returns the average over a window: `sum`, the sum of (x - zero point), divided by `count`. An empty window gives the
// zero point.
inline int8_t average(int32_t sum, int64_t count, float input_scale, Affine to) {
  if (count <= 0) return static_cast<int8_t>(to.zero_point);
  return narrow(sum, input_scale / (to.scale * static_cast<float>(count)), to.zero_point);
}

// Returns the average of `count` stored integers, rounded half away from zero or half up. `sum`: the sum of (x - zero
// point) over the window. Padding has the value of the zero point.
inline int8_t exact_average(int32_t sum, int64_t count, int32_t zero_point, ops::Rounding rounding) {
  if (count <= 0) return static_cast<int8_t>(zero_point);
  const int64_t total = sum + count * zero_point;
  if (rounding == ops::Rounding::kHalfAway)
    return static_cast<int8_t>((total > 0 ? total + count / 2 : total - count / 2) / count);
  const int64_t twice = 2 * (total + 128 * count) + count;  // not negative: bytes are at least -128
  return static_cast<int8_t>(twice / (2 * count) - 128);
}

// Addition and subtraction as ONNX defines them: the exact sum of two dequantized elements in steps of the output,
// rounded half to even.

struct AddScales {
  double a = 1;
  double b = 1;  // negative for a subtraction
  double out = 1;
};

// Sums of this many steps or more are clipped, whatever the zero point.
inline constexpr int32_t kMaxSteps = 512;

// a and b are elements minus their zero points. Every product is exact in double, because f32 scales have 24 bits, and
// `error` is what the addition rounds away. Subtracting a tie close to the sum is exact, so the signs are those of the
// exact differences.
inline int32_t add_exactly(int32_t a, int32_t b, const AddScales& scales) {
  const double product_a = a * scales.a, product_b = b * scales.b;
  const double sum = product_a + product_b, part = sum - product_a;
  const double error = (product_a - (sum - part)) + (product_b - part);
  const double steps = sum / scales.out;
  if (std::abs(steps) >= kMaxSteps) return steps > 0 ? kMaxSteps : -kMaxSteps;
  const auto nearest = static_cast<int32_t>(std::nearbyint(steps));
  const auto beyond = [&](double tie) { return (sum - tie * scales.out) + error; };
  const double above = beyond(nearest + 0.5), below = beyond(nearest - 0.5);
  const bool is_odd = (nearest & 1) != 0;
  if (above > 0 || (above == 0 && is_odd)) return nearest + 1;
  if (below < 0 || (below == 0 && is_odd)) return nearest - 1;
  return nearest;
}

// Addition and subtraction in fixed point: (a * factor + b * factor + term) >> shift. add_factors() defines those of
// TensorFlow Lite. Kernels also compute add_exactly() with factors for which the result is provably the same.
struct AddFactors {
  int32_t a = 0;         // factor of (element of a - zero point of a)
  int32_t b = 0;         // negative for a subtraction
  int shift = 0;         // right shift of the sum
  int32_t term = 0;      // added before the shift
  int32_t odd_term = 0;  // 1: also added if the sum shifted right is odd, so that ties become even

  bool valid() const { return std::max(a, std::abs(b)) <= kLimit; }
  static constexpr int32_t kLimit = int32_t{1} << 21;
};

// Returns the factors of XNNPACK, which round half up and are computed from ratios in f32. The larger factor has 20 or
// 21 bits, so that the sum and its rounding fit int32. The result is invalid if the scale of an operand is about 2^21
// times the output scale or more.
inline AddFactors add_factors(float scale_a, float scale_b, float scale_out) {
  const double a = scale_a / scale_out, b = scale_b / scale_out;
  constexpr double kLeast = 0x1p-100;  // the shift is the largest far above it
  const int shift = std::clamp(20 - std::ilogb(std::max({a, b, kLeast})), 0, s8::kMaxShift);
  const auto fixed = [shift](double factor) {
    return static_cast<int32_t>(std::nearbyint(std::min(std::ldexp(factor, shift), 2.0 * AddFactors::kLimit)));
  };
  return {fixed(a), fixed(b), shift, s8::rounding_term(shift, ops::Rounding::kHalfUp), 0};
}

// Returns a sum in steps of the output. a and b are elements minus their zero points.
inline int32_t add(int32_t a, int32_t b, const AddFactors& factors) {
  const int32_t sum = a * factors.a + b * factors.b;
  return (sum + factors.term + ((sum >> factors.shift) & factors.odd_term)) >> factors.shift;
}

// LeakyReLU as in XNNPACK: factors have 8 fractional bits, and results round half up.
struct LeakyFactors {
  int32_t positive = 0;
  int32_t negative = 0;

  static constexpr int kShift = 8;
  static constexpr int32_t kLimit = INT16_MAX;
  bool valid() const { return std::abs(positive) <= kLimit && std::abs(negative) <= kLimit; }
};

inline LeakyFactors leaky_factors(float scale_in, float slope, float scale_out) {
  const auto fixed = [](float factor) {
    const float steps = std::nearbyint(std::ldexp(factor, LeakyFactors::kShift));
    return std::abs(steps) <= LeakyFactors::kLimit ? static_cast<int32_t>(steps) : LeakyFactors::kLimit + 1;
  };
  const float ratio = scale_in / scale_out;
  return {fixed(ratio), fixed(ratio * slope)};
}

// Returns the result minus its zero point. x: an element minus its zero point.
inline int32_t leaky_relu(int32_t x, const LeakyFactors& factors) {
  return s8::shift_right(x * (x < 0 ? factors.negative : factors.positive), LeakyFactors::kShift,
                         ops::Rounding::kHalfUp);
}

// Linear interpolation with 11-bit weights; results round half up. Both steps are exact, so their order does not
// matter.

inline constexpr int kInterpolationBits = 11;

// Returns the weight of the second of two neighbouring elements.
inline int32_t interpolation_weight(float fraction) {
  return static_cast<int32_t>(std::nearbyint(std::ldexp(fraction, kInterpolationBits)));
}

// a and b: elements, or values already interpolated along another axis.
inline int32_t interpolate(int32_t a, int32_t b, int32_t weight_b) {
  return a * (int32_t{1} << kInterpolationBits) + (b - a) * weight_b;
}

// Returns the element for a value that was interpolated along two axes.
inline int8_t interpolated(int32_t value) {
  return static_cast<int8_t>(s8::shift_right(value, 2 * kInterpolationBits, ops::Rounding::kHalfUp));
}

// Returns the bounds set by a fused activation. Requires: s8::has_bounds().
inline Bounds activation_bounds(const Activation& activation, Affine to) {
  if (activation.kind == ops::ActivationKind::kRelu) return {to.zero_point, s8::kHigh};
  if (activation.kind != ops::ActivationKind::kClip) return {};
  return {quantize<int8_t>(activation.alpha, to), quantize<int8_t>(activation.beta, to)};
}

}  // namespace nestrt::kernels::s8c
