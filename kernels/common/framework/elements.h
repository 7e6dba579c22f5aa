// SPDX-License-Identifier: Apache-2.0
// Helpers for operators that move elements without interpreting them, and therefore depend only on the element size.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "nestrt/data_type.h"
#include "nestrt/shape.h"

namespace nestrt::kernels {

using Index = std::array<int64_t, Shape::kMaxRank>;

// One element of any type, stored in the first bytes.
using ElementBytes = std::array<std::byte, 8>;

// Converts `value` to `type`; truncates and saturates. NaN becomes 0 for integer types.
ElementBytes element_of(float value, DataType type);

// Returns the element stride of each axis of a dense row-major tensor.
inline Index strides_of(const Shape& shape) {
  Index strides{};
  int64_t stride = 1;
  for (int axis = shape.rank() - 1; axis >= 0; --axis) {
    strides[static_cast<size_t>(axis)] = stride;
    stride *= shape[axis];
  }
  return strides;
}

// Calls visit(index, position) for every element in row-major order. `index` has one entry per axis; `position` is
// linear.
template <typename Visit>
void for_each_index(const Shape& shape, Visit visit) {
  Index index{};
  const int64_t count = shape.num_elements();
  for (int64_t position = 0; position < count; ++position) {
    visit(static_cast<const Index&>(index), position);
    for (int axis = shape.rank() - 1; axis >= 0; --axis) {
      int64_t& digit = index[static_cast<size_t>(axis)];
      if (++digit < shape[axis]) break;
      digit = 0;
    }
  }
}

// to[position] = from[source(index)] for every element of the output's shape.
template <typename Source>
void copy_elements(const Shape& output, size_t element_bytes, const std::byte* from, std::byte* to, Source source) {
  for_each_index(output, [&](const Index& index, int64_t position) {
    std::memcpy(to + static_cast<size_t>(position) * element_bytes,
                from + static_cast<size_t>(source(index)) * element_bytes, element_bytes);
  });
}

}  // namespace nestrt::kernels
