// SPDX-License-Identifier: Apache-2.0
#include "compiler-lite/graph/constant_integers.h"

#include <cmath>
#include <limits>
#include <vector>

namespace nestrt::compiler {
namespace {

// Maps the index of an element of a row-major tensor to the index of its scale.
class ScaleIndex {
 public:
  ScaleIndex(const plan::Quantization& quantization, const Shape& shape) {
    if (quantization.scales.size() == 1 || quantization.axis < 0) return;
    extent_ = shape[quantization.axis];
    stride_ = shape.product(quantization.axis + 1, shape.rank());
  }
  size_t operator()(int64_t element) const { return static_cast<size_t>(element / stride_ % extent_); }

 private:
  int64_t extent_ = 1, stride_ = 1;
};

template <typename T>
Bytes narrowed(const std::vector<int32_t>& integers) {
  return to_bytes(std::vector<T>(integers.begin(), integers.end()));
}

template <typename T>
bool holds(const std::vector<int32_t>& integers) {
  for (const int32_t integer : integers)
    if (integer < std::numeric_limits<T>::min() || integer > std::numeric_limits<T>::max()) return false;
  return true;
}

// Returns q such that (q - zero_point) * scale equals `real`, or nullopt.
std::optional<int32_t> integer_of(float real, float scale, int32_t zero_point) {
  const double steps = std::nearbyint(double{real} / double{scale});
  if (!(std::abs(steps) < 0x1p30)) return std::nullopt;
  const auto distance = static_cast<int32_t>(steps);
  if (static_cast<float>(distance) * scale != real) return std::nullopt;
  return distance + zero_point;
}

}  // namespace

std::optional<ConstantIntegers> constant_integers(const Value& constant) {
  if (!constant.source_quantization || constant.type != DataType::kF32) return std::nullopt;
  const plan::Quantization& source = *constant.source_quantization;
  const auto count = static_cast<size_t>(constant.shape.num_elements());
  if (source.scales.empty() || source.zero_points.size() != source.scales.size()) return std::nullopt;
  const ScaleIndex index(source, constant.shape);
  std::vector<int32_t> integers(count);
  for (size_t i = 0; i < count; ++i) {
    const size_t scale = index(static_cast<int64_t>(i));
    const auto integer = integer_of(constant.data<float>()[i], source.scales[scale], source.zero_points[scale]);
    if (!integer) return std::nullopt;
    integers[i] = *integer;
  }
  if (holds<int8_t>(integers) && holds<int8_t>(source.zero_points))
    return ConstantIntegers{DataType::kS8, narrowed<int8_t>(integers)};
  if (holds<uint8_t>(integers) && holds<uint8_t>(source.zero_points))
    return ConstantIntegers{DataType::kU8, narrowed<uint8_t>(integers)};
  return ConstantIntegers{DataType::kS32, to_bytes(integers)};
}

}  // namespace nestrt::compiler
