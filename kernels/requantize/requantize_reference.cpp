// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <limits>
#include <variant>

#include "kernels/common/framework/map_elements.h"
#include "kernels/common/quantization/s8c_operands.h"
#include "kernels/requantize/requantize.h"

namespace nestrt::kernels {
namespace {

// A tensor's quantization: an exponent, or a scale and a zero point.
using Numbers = std::variant<int, s8c::Affine>;

Result<Numbers> numbers_of(const TensorSpec& tensor, std::string_view what) {
  if (s8c::has_scales(tensor)) {
    NESTRT_ASSIGN_OR_RETURN(const s8c::Affine affine, s8c::affine_of(tensor, what));
    return Numbers(affine);
  }
  NESTRT_ASSIGN_OR_RETURN(const int exponent, s8::exponent_of(tensor, what));
  return Numbers(exponent);
}

template <typename T>
float dequantized(T q, const Numbers& from) {
  if (const auto* affine = std::get_if<s8c::Affine>(&from)) return s8c::dequantize(q, *affine);
  return s8::dequantize(static_cast<int8_t>(q), *std::get_if<int>(&from));
}

template <typename T>
T quantized(float x, const Numbers& to, ops::Rounding rounding) {
  if (const auto* affine = std::get_if<s8c::Affine>(&to)) return s8c::quantize<T>(x, *affine);
  return static_cast<T>(s8::quantize(x, *std::get_if<int>(&to), rounding));
}

// Returns the output for one element of a LeakyReLU in fixed point.
template <typename In, typename Out>
Out leaky(In q, const s8c::Affine& from, const s8c::Affine& to, float slope) {
  const s8c::LeakyFactors factors = s8c::leaky_factors(from.scale, slope, to.scale);
  const int32_t y = s8c::leaky_relu(q - from.zero_point, factors) + to.zero_point;
  return static_cast<Out>(std::clamp<int32_t>(y, std::numeric_limits<Out>::min(), std::numeric_limits<Out>::max()));
}

// Uses a table, because an element has only 256 values.
template <typename In, typename Out>
Result<std::unique_ptr<Kernel>> by_table(const OperatorSpec& spec) {
  NESTRT_ASSIGN_OR_RETURN(const Numbers from, numbers_of(spec.inputs[0], "the input"));
  NESTRT_ASSIGN_OR_RETURN(const Numbers to, numbers_of(spec.outputs[0], "the output"));
  const ops::Requantize& attributes = *spec.as<ops::Requantize>();
  std::array<Out, 256> results;
  for (int i = 0; i < 256; ++i) {
    const auto q = static_cast<In>(i);
    results[static_cast<size_t>(i)] =
        !ops::has_exponent_form(attributes.rounding)
            ? leaky<In, Out>(q, std::get<s8c::Affine>(from), std::get<s8c::Affine>(to), attributes.activation.alpha)
            : quantized<Out>(apply_activation(attributes.activation, dequantized(q, from)), to, attributes.rounding);
  }
  return map_elements<In, Out>(stored_elements(spec.inputs[0]),
                               [results](In q) { return results[static_cast<uint8_t>(q)]; });
}

template <typename In>
Result<std::unique_ptr<Kernel>> by_table_from(const OperatorSpec& spec) {
  return spec.outputs[0].type == DataType::kU8 ? by_table<In, uint8_t>(spec) : by_table<In, int8_t>(spec);
}

}  // namespace

Result<std::unique_ptr<Kernel>> prepare_requantize_reference(const OperatorSpec& spec) {
  if (spec.inputs[0].type == DataType::kU8) return by_table_from<uint8_t>(spec);
  if (!shifts_elements(spec)) return by_table_from<int8_t>(spec);
  NESTRT_ASSIGN_OR_RETURN(const int from, s8::exponent_of(spec.inputs[0], "the input"));
  NESTRT_ASSIGN_OR_RETURN(const int to, s8::exponent_of(spec.outputs[0], "the output"));
  const ops::Requantize& attributes = *spec.as<ops::Requantize>();
  const s8::Bounds bounds = s8::activation_bounds(attributes.activation, to, attributes.rounding);
  return map_elements<int8_t, int8_t>(stored_elements(spec.inputs[0]),
                                      [from, to, rounding = attributes.rounding, bounds](int8_t q) {
                                        return s8::requantize(q, from, to, rounding, bounds);
                                      });
}

}  // namespace nestrt::kernels
