// SPDX-License-Identifier: Apache-2.0
#include "tools/support/metrics/segmentation.h"

#include <fmt/core.h>

#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <span>

#include "tools/support/image/image.h"
#include "tools/support/metrics/elements.h"
#include "tools/support/text/files.h"
#include "tools/support/text/npy.h"

namespace nestrt::tools {
namespace {

double quotient(uint64_t part, uint64_t whole) {
  return whole == 0 ? std::numeric_limits<double>::quiet_NaN() : static_cast<double>(part) / static_cast<double>(whole);
}

// Returns the class of a colour of PASCAL VOC: bits 0, 3, 6 of the class are the highest bits of red, bits 1, 4, 7 of
// green, and bits 2, 5 of blue.
std::optional<int64_t> class_of_colour(const uint8_t* rgb) {
  int64_t label = 0;
  for (int bit = 0; bit < 8; ++bit) label |= int64_t{(rgb[bit % 3] >> (7 - bit / 3)) & 1} << bit;
  const bool has_other_bits = (rgb[0] & 0x1f) != 0 || (rgb[1] & 0x1f) != 0 || (rgb[2] & 0x3f) != 0;
  return has_other_bits ? std::nullopt : std::optional(label);
}

Status refuse_mask(const std::string& path, const std::string& why) {
  return Status(Code::kInvalidArgument, fmt::format("'{}' {}; save masks as 8-bit grey PNG images or integer .npy "
                                                    "arrays of class numbers",
                                                    path, why));
}

// Grey PNGs of other depths would be scaled to 8 bits when decoded, which changes class numbers.
bool has_other_depth(std::span<const std::byte> png) {
  constexpr size_t kDepth = 24, kColourType = 25;
  constexpr std::byte kSignature{0x89}, kPalette{3}, kEight{8};
  return png.size() > kColourType && png[0] == kSignature && png[kColourType] != kPalette && png[kDepth] != kEight;
}

Result<Mask> read_image_mask(const std::string& path) {
  NESTRT_ASSIGN_OR_RETURN(const auto content, read_file(path));
  if (has_other_depth(content)) return refuse_mask(path, "does not have 8 bits per pixel");
  NESTRT_ASSIGN_OR_RETURN(const Image image, decode_image(content, path));
  Mask mask{image.width, image.height, {}};
  if (image.channels == 1) {
    mask.classes.assign(image.pixels.begin(), image.pixels.end());
    return mask;
  }
  for (size_t i = 0; i < image.pixels.size(); i += 3) {
    const uint8_t* const rgb = &image.pixels[i];
    const auto label = class_of_colour(rgb);
    if (!label)
      return refuse_mask(path, fmt::format("has the colour ({}, {}, {}), which is not a class colour of PASCAL VOC",
                                           rgb[0], rgb[1], rgb[2]));
    mask.classes.push_back(*label);
  }
  return mask;
}

Result<Mask> read_array_mask(const std::string& path) {
  NESTRT_ASSIGN_OR_RETURN(const Array array, read_npy(path));
  if (array.type == DataType::kF32 || array.shape.rank() != 2)
    return refuse_mask(path, fmt::format("has {} {}", name(array.type), array.shape.to_string()));
  constexpr int64_t kMost = std::numeric_limits<int>::max();
  if (array.shape[0] > kMost || array.shape[1] > kMost) return refuse_mask(path, "is too large");
  Mask mask{static_cast<int>(array.shape[1]), static_cast<int>(array.shape[0]), {}};
  const ConstTensorView view = array.view();
  for (size_t i = 0; i < static_cast<size_t>(array.shape.num_elements()); ++i)
    mask.classes.push_back(static_cast<int64_t>(element(view, i)));
  return mask;
}

}  // namespace

void SegmentationScore::add(size_t truth, size_t found) {
  right_[truth] += truth == found;
  ++true_[truth];
  ++found_[found];
}

double SegmentationScore::iou(size_t label) const {
  return quotient(right_[label], true_[label] + found_[label] - right_[label]);
}

double SegmentationScore::mean_iou() const {
  double sum = 0;
  size_t count = 0;
  for (size_t label = 0; label < right_.size(); ++label) {
    const double value = iou(label);
    if (std::isnan(value)) continue;
    sum += value;
    ++count;
  }
  return count == 0 ? std::numeric_limits<double>::quiet_NaN() : sum / static_cast<double>(count);
}

double SegmentationScore::accuracy() const {
  return quotient(std::accumulate(right_.begin(), right_.end(), uint64_t{0}),
                  std::accumulate(true_.begin(), true_.end(), uint64_t{0}));
}

Result<Mask> read_mask(const std::string& path) {
  return path.ends_with(".npy") ? read_array_mask(path) : read_image_mask(path);
}

}  // namespace nestrt::tools
