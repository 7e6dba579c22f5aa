// SPDX-License-Identifier: Apache-2.0
// Converts the elements of model files to the types of the graph.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>

#include "compiler-lite/graph/bytes.h"

namespace nestrt::compiler {

inline float from_float16(uint16_t half) {
  const uint32_t sign = static_cast<uint32_t>(half & 0x8000u) << 16;
  const uint32_t exponent = (half >> 10) & 0x1fu;
  const uint32_t mantissa = half & 0x3ffu;
  if (exponent == 0) {  // zero or subnormal: mantissa * 2^-24
    const float magnitude = static_cast<float>(mantissa) * 0x1p-24f;
    return sign != 0 ? -magnitude : magnitude;
  }
  const uint32_t wide = exponent == 31 ? 255u : exponent + 112u;
  return std::bit_cast<float>(sign | (wide << 23) | (mantissa << 13));
}

inline float from_bfloat16(uint16_t value) { return std::bit_cast<float>(static_cast<uint32_t>(value) << 16); }

// Returns function(element) for each of `count` elements, which need not be aligned.
template <typename From, typename To, typename Convert>
Bytes convert(const std::byte* source, size_t count, Convert&& function) {
  Bytes result(count * sizeof(To));
  for (size_t i = 0; i < count; ++i) {
    From from;
    std::memcpy(&from, source + i * sizeof(From), sizeof(From));
    const To to = function(from);
    std::memcpy(result.data() + i * sizeof(To), &to, sizeof(To));
  }
  return result;
}

}  // namespace nestrt::compiler
