// Folding: where the elements of a plain s8 picture [N, C, H, W] lie for a program that reads blocks of channels:
// `fold` rows and columns of pixels become channels of one. Element (c, y, x) is channel (y % fold * fold + x % fold) *
// C + c of pixel (y / fold, x / fold); what the picture does not have is zero. A convolution with stride `fold` becomes
// one without stride, with fewer taps and fuller blocks.
#pragma once

#include <cstdint>
#include <optional>

#include "nestrt/shape.h"

namespace nestrt {

struct Folding {
  static constexpr int64_t kMaxFold = 8;

  Shape picture;
  int64_t fold = 1;
  int64_t block = 16;  // channels

  int64_t channels() const { return picture[1] * fold * fold; }
  int64_t blocks() const { return (channels() + block - 1) / block; }
  int64_t rows() const { return (picture[2] + fold - 1) / fold; }
  int64_t columns() const { return (picture[3] + fold - 1) / fold; }
};

// The folding into `bytes`: the smallest that gives so many. Empty where none does.
// Requires: a shape whose number of elements is no overflow.
std::optional<Folding> find_folding(const Shape& picture, int64_t block, uint64_t bytes);

}  // namespace nestrt
