// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include "kernels/common/framework/map_elements.h"
#include "kernels/common/framework/rules.h"
#include "kernels/common/math/saturate.h"
#include "kernels/common/quantization/s8c_operands.h"
#include "kernels/unary/unary.h"

namespace nestrt::kernels {
namespace {

using Kind = ops::UnaryKind;

template <typename T>
T negate(T x) {
  return static_cast<T>(uint64_t{0} - static_cast<uint64_t>(x));
}

template <typename T>
Result<std::unique_ptr<Kernel>> prepare_integers(const ops::Unary& attributes, int64_t count) {
  switch (attributes.kind) {
    case Kind::kRelu:
      return map_elements<T, T>(count, [](T x) { return x < T{0} ? T{0} : x; });
    case Kind::kClip: {
      const T low = saturate_cast<T>(attributes.alpha), high = saturate_cast<T>(attributes.beta);
      return map_elements<T, T>(count, [low, high](T x) { return std::min(std::max(x, low), high); });
    }
    case Kind::kAbs:
      return map_elements<T, T>(count, [](T x) { return x < T{0} ? negate(x) : x; });
    case Kind::kNeg:
      return map_elements<T, T>(count, negate<T>);
    case Kind::kBitwiseNot:
      return map_elements<T, T>(count, [](T x) { return static_cast<T>(~x); });
    case Kind::kSign:
      return map_elements<T, T>(count, [](T x) { return static_cast<T>((x > T{0}) - (x < T{0})); });
    default:
      return Status(Code::kInternal, "a unary kind without an integer version reached prepare");
  }
}

Result<std::unique_ptr<Kernel>> prepare_s8(const OperatorSpec& spec, int64_t count) {
  NESTRT_ASSIGN_OR_RETURN(const s8::Bounds bounds, unary_s8_bounds(spec));
  return map_elements<int8_t, int8_t>(count, [bounds](int8_t q) { return s8::clip(q, bounds); });
}

Result<std::unique_ptr<Kernel>> prepare_f32(const ops::Unary& attributes, int64_t count) {
  const float alpha = attributes.alpha, beta = attributes.beta;
  if (attributes.kind == Kind::kIsNan) {
    return map_elements<float, uint8_t>(count, [](float x) { return static_cast<uint8_t>(std::isnan(x)); });
  }
  if (attributes.kind == Kind::kIsInf) {
    const bool negative = alpha != 0, positive = beta != 0;
    return map_elements<float, uint8_t>(count, [negative, positive](float x) {
      return static_cast<uint8_t>(std::isinf(x) && (x < 0 ? negative : positive));
    });
  }
  const UnaryFunction function = unary_function(attributes.kind);
  return map_elements<float, float>(count, [function, alpha, beta](float x) { return function(x, alpha, beta); });
}

}  // namespace

Result<s8::Bounds> unary_s8_bounds(const OperatorSpec& spec) {
  const ops::Unary& attributes = *spec.as<ops::Unary>();
  const auto kind = attributes.kind == Kind::kRelu ? ops::ActivationKind::kRelu : ops::ActivationKind::kClip;
  const Activation activation{kind, attributes.alpha, attributes.beta};
  if (s8c::has_scales(spec.inputs[0])) {
    NESTRT_ASSIGN_OR_RETURN(const s8c::Affine affine, s8c::affine_of(spec.inputs[0], "the input"));
    return s8c::activation_bounds(activation, affine);
  }
  NESTRT_ASSIGN_OR_RETURN(const int exponent, s8::exponent_of(spec.inputs[0], "the input"));
  return s8::activation_bounds(activation, exponent, ops::Rounding::kHalfUp);
}

bool accepts_unary_reference(const OperatorSpec& spec) { return is_plain(spec); }

Result<std::unique_ptr<Kernel>> prepare_unary_reference(const OperatorSpec& spec) {
  const TensorSpec& input = spec.inputs[0];
  const ops::Unary& attributes = *spec.as<ops::Unary>();
  const int64_t count = stored_elements(input);
  switch (input.type) {
    case DataType::kF32:
      return prepare_f32(attributes, count);
    case DataType::kS8:
      return input.quantization != nullptr ? prepare_s8(spec, count) : prepare_integers<int8_t>(attributes, count);
    case DataType::kU8:
      return prepare_integers<uint8_t>(attributes, count);
    case DataType::kS32:
      return prepare_integers<int32_t>(attributes, count);
    case DataType::kS64:
      return prepare_integers<int64_t>(attributes, count);
    case DataType::kBool:
      return map_elements<uint8_t, uint8_t>(count, [](uint8_t x) { return static_cast<uint8_t>(x == 0); });
  }
  return Status(Code::kInternal, "unknown data type");
}

}  // namespace nestrt::kernels
