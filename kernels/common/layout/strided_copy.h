// SPDX-License-Identifier: Apache-2.0
// An n-dimensional copy between two strided tensors, the basis of slices, transposes, repeats and concatenations.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "nestrt/shape.h"
#include "runtime/kernel/parallel.h"

namespace nestrt::kernels {

// The extent of an axis and its strides in elements. `from` may be negative; 0 repeats an element.
struct CopyAxis {
  int64_t count = 1;
  int64_t from = 0;
  int64_t to = 0;
};

class StridedCopy {
 public:
  static constexpr size_t kMaxAxes = 2 * Shape::kMaxRank;

  // Supports elements of 1, 4 or 8 bytes and at most kMaxAxes axes, in any order. The offsets, in elements, are those
  // of the first element. Requires: all strides of `to` are positive, and no element is written twice.
  StridedCopy(size_t element_bytes, std::span<const CopyAxis> axes, int64_t from_offset = 0, int64_t to_offset = 0);

  void run(const std::byte* from, std::byte* to, ParallelRunner& runner) const;

 private:
  void add_merged(const CopyAxis& axis);
  void choose_plane();

  size_t element_bytes_;
  int64_t from_offset_, to_offset_;
  bool empty_ = false;
  std::array<CopyAxis, kMaxAxes> outer_{};  // the axes outside the plane, outermost first
  size_t num_outer_ = 0;
  // The plane that the inner loops copy. Columns are adjacent in the output.
  CopyAxis row_, column_;
};

}  // namespace nestrt::kernels
