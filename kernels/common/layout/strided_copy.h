// An n-dimensional copy between two strided tensors: what slices, transposes, repeats and concatenations come down to.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "nestrt/driver/parallel.h"
#include "nestrt/shape.h"

namespace nestrt::kernels {

// Elements along the axis, and the elements between neighbours on either side: negative, or 0 to repeat, where read.
struct CopyAxis {
  int64_t count = 1;
  int64_t from = 0;
  int64_t to = 0;
};

class StridedCopy {
 public:
  static constexpr size_t kMaxAxes = 2 * Shape::kMaxRank;

  // Elements of 1, 4 or 8 bytes; at most kMaxAxes axes in any order; offsets of the first element, in elements.
  // Requires: strides of `to` are positive and no element is written twice.
  StridedCopy(size_t element_bytes, std::span<const CopyAxis> axes, int64_t from_offset = 0, int64_t to_offset = 0);

  void run(const std::byte* from, std::byte* to, ParallelRunner& runner) const;

 private:
  void add_merged(const CopyAxis& axis);
  void choose_plane();

  size_t element_bytes_;
  int64_t from_offset_, to_offset_;
  bool empty_ = false;
  std::array<CopyAxis, kMaxAxes> outer_{};  // outermost first; the axes around the plane
  size_t num_outer_ = 0;
  // The plane that the inner loops copy: columns are neighbours where written.
  CopyAxis row_, column_;
};

}  // namespace nestrt::kernels
