// SPDX-License-Identifier: Apache-2.0
// Intersection over union of predicted class maps, and the masks that they are compared with.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "nestrt/result.h"

namespace nestrt::tools {

// Counts pixels by their true and predicted classes.
class SegmentationScore {
 public:
  explicit SegmentationScore(size_t num_classes) : right_(num_classes), true_(num_classes), found_(num_classes) {}

  // Requires: `truth` and `found` are less than the number of classes.
  void add(size_t truth, size_t found);

  // Returns intersection / union of a class over all pixels; NaN if it neither occurs nor is predicted.
  double iou(size_t label) const;
  // Returns the mean over classes that occur or are predicted; NaN without pixels.
  double mean_iou() const;
  // Returns the fraction of pixels with the right class; NaN without pixels.
  double accuracy() const;
  size_t num_classes() const { return right_.size(); }

 private:
  std::vector<uint64_t> right_, true_, found_;
};

struct Mask {
  int width = 0;
  int height = 0;
  std::vector<int64_t> classes;  // [height][width]
};

// Reads the classes of an image's pixels: 8-bit grey values, the colours of PASCAL VOC, or an integer .npy array
// [height, width]. Errors: those of reading; kInvalidArgument if pixels have other colours or more bits.
Result<Mask> read_mask(const std::string& path);

}  // namespace nestrt::tools
