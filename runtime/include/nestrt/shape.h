// SPDX-License-Identifier: Apache-2.0
// Shape: the dimensions of a tensor, outermost first, held inline (no allocation).
#pragma once

#include <algorithm>
#include <array>
#include <cassert>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>

#include "nestrt/data_type.h"
#include "nestrt/visibility.h"

namespace NESTRT_PUBLIC nestrt {

class Shape {
 public:
  static constexpr int kMaxRank = 8;

  Shape() = default;  // rank 0: a scalar, one element
  Shape(std::initializer_list<int64_t> dims) : Shape(std::span(dims.begin(), dims.size())) {}
  // Requires: dims.size() <= kMaxRank.
  explicit Shape(std::span<const int64_t> dims) : rank_(static_cast<int>(dims.size())) {
    assert(rank_ <= kMaxRank);
    std::copy(dims.begin(), dims.end(), dims_.begin());
  }

  int rank() const { return rank_; }
  int64_t operator[](int axis) const { return dims_[static_cast<size_t>(axis)]; }
  int64_t& operator[](int axis) { return dims_[static_cast<size_t>(axis)]; }
  const int64_t* begin() const { return dims_.data(); }
  const int64_t* end() const { return dims_.data() + rank_; }
  // Returns the dimensions, outermost first.
  std::span<const int64_t> dims() const { return {begin(), end()}; }
  // Requires: rank() < kMaxRank.
  void push_back(int64_t dim) { dims_[static_cast<size_t>(rank_++)] = dim; }

  // Returns the product of the dimensions.
  int64_t num_elements() const { return product(0, rank_); }
  // Returns the product of the dimensions of axes [first, last); 1 for an empty range.
  int64_t product(int first, int last) const {
    int64_t result = 1;
    for (int axis = first; axis < last; ++axis) result *= (*this)[axis];
    return result;
  }

  bool operator==(const Shape& other) const {
    return rank_ == other.rank_ && std::equal(begin(), end(), other.begin());
  }

  std::string to_string() const;  // "1x3x224x224"; "scalar" for rank 0

 private:
  std::array<int64_t, kMaxRank> dims_{};
  int rank_ = 0;
};

// Returns the size of a tensor in bytes, including padding lanes of blocked layouts.
// Requires: no overflow (the plan verifier has checked this for every tensor of a loaded plan).
int64_t storage_bytes(DataType type, const Shape& shape, Layout layout);

}  // namespace nestrt
