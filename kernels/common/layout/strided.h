// SPDX-License-Identifier: Apache-2.0
// Iteration over a subset of the axes of a plain tensor.
#pragma once

#include <array>
#include <cstdint>

#include "nestrt/shape.h"

namespace nestrt::kernels {

// A subset of the axes of a plain tensor, outermost first, with their strides in elements.
struct StridedAxes {
  int rank = 0;
  std::array<int64_t, Shape::kMaxRank> dims{};
  std::array<int64_t, Shape::kMaxRank> strides{};

  int64_t count() const {
    int64_t result = 1;
    for (int i = 0; i < rank; ++i) result *= dims[static_cast<size_t>(i)];
    return result;
  }
  // Returns the offset of element `index` in the row-major order of these axes.
  int64_t offset(int64_t index) const {
    int64_t result = 0;
    for (auto i = static_cast<size_t>(rank); i-- > 0; index /= dims[i]) result += index % dims[i] * strides[i];
    return result;
  }
};

// Returns the axes whose bit in `mask` is set.
inline StridedAxes strided_axes(const Shape& shape, uint32_t mask) {
  StridedAxes axes;
  for (int axis = 0; axis < shape.rank(); ++axis) {
    if ((mask & (1u << axis)) == 0) continue;
    const auto at = static_cast<size_t>(axes.rank++);
    axes.dims[at] = shape[axis];
    axes.strides[at] = shape.product(axis + 1, shape.rank());
  }
  return axes;
}

// Calls body(offset) for every element of the axes, in row-major order.
template <typename Body>
void for_each_offset(const StridedAxes& axes, const Body& body, int axis = 0, int64_t offset = 0) {
  if (axis == axes.rank) {
    body(offset);
    return;
  }
  const int64_t dim = axes.dims[static_cast<size_t>(axis)], stride = axes.strides[static_cast<size_t>(axis)];
  for (int64_t i = 0; i < dim; ++i) for_each_offset(axes, body, axis + 1, offset + i * stride);
}

}  // namespace nestrt::kernels
