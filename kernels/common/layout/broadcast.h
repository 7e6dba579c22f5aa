// SPDX-License-Identifier: Apache-2.0
// NumPy broadcasting: operands of different shapes are viewed as one shape, with stride 0 along broadcast dimensions.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>

#include "nestrt/result.h"
#include "nestrt/shape.h"

namespace nestrt::kernels {

// Returns the shape that `shapes` broadcast to. Dimensions are aligned at the end; in each, sizes must be equal or 1.
Result<Shape> broadcast_shapes(std::span<const Shape* const> shapes);

// Iterates over N plain operands in the order of the plain output. Adjacent dimensions are merged if all operands allow
// it, so that the inner loop is as long as possible. In the inner loop, each operand advances by 0 or 1.
template <size_t N>
struct BroadcastLoop {
  int rank = 1;
  std::array<int64_t, Shape::kMaxRank> dims{};  // merged dimensions; the inner loop is last
  std::array<std::array<int64_t, Shape::kMaxRank>, N> strides{};

  int64_t inner_length() const { return dims[static_cast<size_t>(rank - 1)]; }
  int64_t inner_stride(size_t operand) const { return strides[operand][static_cast<size_t>(rank - 1)]; }
};

// Requires: `output` is the result of broadcast_shapes(shapes).
template <size_t N>
BroadcastLoop<N> make_broadcast_loop(const Shape& output, const std::array<const Shape*, N>& shapes) {
  BroadcastLoop<N> loop;
  int used = 0;                  // number of dimensions so far, filled from the innermost
  std::array<int64_t, N> dense;  // stride of each operand in the next dimension
  dense.fill(1);
  std::array<int64_t, Shape::kMaxRank> dims{};
  std::array<std::array<int64_t, Shape::kMaxRank>, N> strides{};
  for (int axis = output.rank() - 1; axis >= 0; --axis) {
    const int64_t dim = output[axis];
    std::array<int64_t, N> step{};
    for (size_t n = 0; n < N; ++n) {
      const int own = axis - (output.rank() - shapes[n]->rank());
      const int64_t own_dim = own < 0 ? 1 : (*shapes[n])[own];
      step[n] = own_dim == 1 ? 0 : dense[n];
      dense[n] *= own_dim;
    }
    if (dim == 1) continue;
    const auto last = static_cast<size_t>(used - 1);
    bool mergeable = used > 0;
    for (size_t n = 0; mergeable && n < N; ++n) mergeable = step[n] == strides[n][last] * dims[last];
    if (mergeable) {
      dims[last] *= dim;
      continue;
    }
    dims[static_cast<size_t>(used)] = dim;
    for (size_t n = 0; n < N; ++n) strides[n][static_cast<size_t>(used)] = step[n];
    ++used;
  }
  if (used == 0) dims[static_cast<size_t>(used++)] = 1;
  loop.rank = used;
  for (int i = 0; i < used; ++i) {
    const auto from = static_cast<size_t>(used - 1 - i), to = static_cast<size_t>(i);
    loop.dims[to] = dims[from];
    for (size_t n = 0; n < N; ++n) loop.strides[n][to] = strides[n][from];
  }
  return loop;
}

// Calls body(output_offset, operand_offsets, length) for runs of the inner loop that together cover the output elements
// [first, last).
template <size_t N, typename Body>
void for_each_run(const BroadcastLoop<N>& loop, int64_t first, int64_t last, Body body) {
  const int64_t inner = loop.inner_length();
  while (first < last) {
    const int64_t column = first % inner;
    int64_t row = first / inner;
    std::array<int64_t, N> offsets;
    for (size_t n = 0; n < N; ++n) offsets[n] = column * loop.inner_stride(n);
    for (int axis = loop.rank - 2; axis >= 0; --axis) {
      const auto at = static_cast<size_t>(axis);
      const int64_t index = row % loop.dims[at];
      row /= loop.dims[at];
      for (size_t n = 0; n < N; ++n) offsets[n] += index * loop.strides[n][at];
    }
    const int64_t length = std::min(inner - column, last - first);
    body(first, offsets, length);
    first += length;
  }
}

}  // namespace nestrt::kernels
