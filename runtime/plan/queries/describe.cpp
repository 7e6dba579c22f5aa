// SPDX-License-Identifier: Apache-2.0
#include "runtime/plan/queries/describe.h"

#include <fmt/core.h>

#include <algorithm>

#include "nestrt/data_type.h"

namespace nestrt {
namespace {

std::string power(int exponent) { return fmt::format("2^{}", -exponent); }

std::string describe_scale(float scale, int zero_point) {
  return fmt::format("{:.4g}{}", scale, zero_point == 0 ? "" : fmt::format(" (q - {})", zero_point));
}

}  // namespace

std::string describe_type(const plan::Tensor& tensor) {
  const std::string type(name(tensor.type));
  if (!tensor.quantization) return type;
  const auto& exponents = tensor.quantization->exponents;
  const auto& scales = tensor.quantization->scales;
  const auto& zero_points = tensor.quantization->zero_points;
  if (exponents.size() > 0) {
    const auto [least, most] = std::minmax_element(exponents.begin(), exponents.end());
    return fmt::format("{} {}{}", type, power(*least), *least == *most ? "" : fmt::format(" to {}", power(*most)));
  }
  if (scales.size() == 1)
    return fmt::format("{} {}", type, describe_scale(scales[0], zero_points.size() == 1 ? zero_points[0] : 0));
  return scales.size() == 0 ? type : fmt::format("{} {} scales", type, scales.size());
}

}  // namespace nestrt
