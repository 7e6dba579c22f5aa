// SPDX-License-Identifier: Apache-2.0
// Roundings of quantized models.
#pragma once

#include <optional>
#include <string_view>

#include "nestrt/driver/operators.h"

namespace nestrt::compiler {

// Metadata key of an ONNX file; its value names the rounding to power-of-two scales.
inline constexpr std::string_view kRoundingKey = "nestrt.rounding";

inline std::optional<ops::Rounding> rounding_named(std::string_view name) {
  for (const ops::Rounding rounding : {ops::Rounding::kHalfEven, ops::Rounding::kHalfUp, ops::Rounding::kFloor})
    if (ops::name(rounding) == name) return rounding;
  return std::nullopt;
}

// Returns the rounding of real numbers in a model that rounds integers as `of_integers`: always to nearest.
inline ops::Rounding rounding_of_reals(ops::Rounding of_integers) {
  return of_integers == ops::Rounding::kHalfEven ? of_integers : ops::Rounding::kHalfUp;
}

}  // namespace nestrt::compiler
