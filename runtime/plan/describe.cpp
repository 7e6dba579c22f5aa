#include "runtime/plan/describe.h"

#include <algorithm>
#include <cstdio>

#include "nestrt/data_type.h"

namespace nestrt {
namespace {

std::string power(int exponent) { return "2^" + std::to_string(-exponent); }

std::string describe_scale(float scale, int zero_point) {
  char text[64];
  std::snprintf(text, sizeof text, zero_point == 0 ? "%.4g" : "%.4g (q - %d)", static_cast<double>(scale), zero_point);
  return text;
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
    return type + " " + power(*least) + (*least == *most ? "" : " to " + power(*most));
  }
  if (scales.size() == 1) return type + " " + describe_scale(scales[0], zero_points.size() == 1 ? zero_points[0] : 0);
  return scales.size() == 0 ? type : type + " " + std::to_string(scales.size()) + " scales";
}

}  // namespace nestrt
