// SPDX-License-Identifier: Apache-2.0
#include "kernels/common/framework/rules.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

namespace nestrt::kernels {

Status rule_error(std::string message) { return Status(Code::kInvalidModel, std::move(message)); }

Status expect_inputs(const OperatorSpec& spec, size_t minimum, size_t maximum) {
  const size_t count = spec.inputs.size();
  if (count < minimum || count > maximum) {
    const std::string range = maximum == minimum ? "" : fmt::format(" to {}", maximum);
    return rule_error(fmt::format("has {} inputs, expected {}{}", count, minimum, range));
  }
  for (size_t i = 0; i < minimum; ++i)
    if (!spec.inputs[i].present) return rule_error(fmt::format("input {} is absent but required", i));
  return ok_status();
}

Status expect_type(const TensorSpec& tensor, DataType type, std::string_view what) {
  if (tensor.type == type) return ok_status();
  return rule_error(fmt::format("{} is {}, expected {}", what, name(tensor.type), name(type)));
}

Result<Shape> checked_shape(std::span<const int64_t> dims, std::string_view what) {
  if (dims.size() > static_cast<size_t>(Shape::kMaxRank))
    return rule_error(
        fmt::format("{} has {} dimensions, at most {} are supported", what, dims.size(), Shape::kMaxRank));
  int64_t elements = 1;
  for (int64_t dim : dims) {
    if (dim < 0) return rule_error(fmt::format("{} has the negative dimension {}", what, dim));
    // Counts a dimension of 0 as 1, so that it cannot hide other dimensions whose product overflows.
    if (__builtin_mul_overflow(elements, std::max<int64_t>(dim, 1), &elements) || elements > kMaxElements)
      return rule_error(fmt::format("{} has more than 2^40 elements", what));
  }
  return Shape(dims);
}

Result<int> checked_axis(int64_t axis, int rank, std::string_view what) {
  if (axis < -rank || axis >= rank)
    return rule_error(
        fmt::format("{} is {}, expected a value in [{}, {}) for an input of rank {}", what, axis, -rank, rank, rank));
  return static_cast<int>(axis < 0 ? axis + rank : axis);
}

std::vector<TensorSpec> single_output(DataType type, const Shape& shape) {
  TensorSpec output;
  output.type = type;
  output.shape = shape;
  return {output};
}

bool is_plain(const OperatorSpec& spec) {
  const auto plain = [](const TensorSpec& tensor) {
    return tensor.layout == Layout::kPlain && tensor.packing == Packing::kNone;
  };
  return std::all_of(spec.inputs.begin(), spec.inputs.end(), plain) &&
         std::all_of(spec.outputs.begin(), spec.outputs.end(), plain);
}

}  // namespace nestrt::kernels
