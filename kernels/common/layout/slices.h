// SPDX-License-Identifier: Apache-2.0
// A plain tensor viewed as slices along one axis.
#pragma once

#include <cstdint>

#include "kernels/common/framework/parallel_ranges.h"
#include "nestrt/shape.h"

namespace nestrt::kernels {

// The tensor as [outer, length, inner]. The elements of a slice are `inner` apart.
struct AxisExtents {
  int64_t outer = 1;
  int64_t length = 1;
  int64_t inner = 1;
};

// Negative values of `axis` count from the end. Requires: `axis` is in range.
inline AxisExtents axis_extents(const Shape& shape, int axis) {
  const int rank = shape.rank(), at = axis < 0 ? axis + rank : axis;
  return {shape.product(0, at), shape[at], shape.product(at + 1, rank)};
}

// Calls body(slice, start) for every slice. `slice`: its index; `start`: the offset of its first element.
template <typename Body>
void for_each_slice(ParallelRunner& runner, const AxisExtents& extents, Body body) {
  const int64_t length = extents.length, inner = extents.inner;
  parallel_ranges(runner, extents.outer * inner, length, [&](int64_t first, int64_t last) {
    for (int64_t slice = first; slice < last; ++slice) body(slice, slice / inner * length * inner + slice % inner);
  });
}

}  // namespace nestrt::kernels
