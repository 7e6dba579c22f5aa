// SPDX-License-Identifier: Apache-2.0
#include "tools/support/image/exif.h"

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

namespace nestrt::tools {
namespace {

// Reads unsigned numbers of an EXIF block, which has a single byte order; 0 past its end.
struct TiffNumbers {
  std::span<const std::byte> block;
  bool is_little_endian = false;

  uint64_t at(uint64_t offset, uint64_t count) const {
    if (offset > block.size() || block.size() - offset < count) return 0;
    uint64_t value = 0;
    for (uint64_t i = 0; i < count; ++i)
      value = value << 8 | std::to_integer<uint64_t>(block[offset + (is_little_endian ? count - 1 - i : i)]);
    return value;
  }
};

int orientation_of_entry(const TiffNumbers& numbers, uint64_t entry) {
  constexpr uint64_t kShort = 3;
  const bool is_one_short = numbers.at(entry + 2, 2) == kShort && numbers.at(entry + 4, 4) == 1;
  const uint64_t value = numbers.at(entry + 8, 2);
  return is_one_short && value >= 1 && value <= 8 ? static_cast<int>(value) : 1;
}

}  // namespace

int exif_orientation(std::span<const std::byte> exif) {
  constexpr uint64_t kMagic = 42, kEntryBytes = 12, kOrientation = 0x0112;
  const std::string_view text(reinterpret_cast<const char*>(exif.data()), exif.size());
  const TiffNumbers numbers{exif, text.starts_with("II")};
  if ((!numbers.is_little_endian && !text.starts_with("MM")) || numbers.at(2, 2) != kMagic) return 1;
  const uint64_t directory = numbers.at(4, 4);
  uint64_t entry = directory + 2;
  for (uint64_t left = numbers.at(directory, 2); left > 0 && entry < exif.size(); --left, entry += kEntryBytes)
    if (numbers.at(entry, 2) == kOrientation) return orientation_of_entry(numbers, entry);
  return 1;
}

Image turned(Image image, int orientation) {
  if (orientation == 1) return image;
  // The orientation specifies where the first row and column appear: 1 is top left, 2 top right, and so on. From 5 on,
  // rows appear as columns.
  const bool is_transposed = orientation >= 5, from_right = orientation / 2 % 2 == 1;
  const bool from_bottom = (orientation - 1) / 2 % 2 == 1;
  Image result{image.width, image.height, image.channels, std::vector<uint8_t>(image.pixels.size())};
  if (is_transposed) std::swap(result.width, result.height);
  const auto channels = static_cast<size_t>(image.channels);
  uint8_t* out = result.pixels.data();
  for (int y = 0; y < result.height; ++y) {
    for (int x = 0; x < result.width; ++x) {
      const int across = from_right ? result.width - 1 - x : x, down = from_bottom ? result.height - 1 - y : y;
      const int row = is_transposed ? across : down, column = is_transposed ? down : across;
      const size_t pixel = static_cast<size_t>(row) * static_cast<size_t>(image.width) + static_cast<size_t>(column);
      for (size_t c = 0; c < channels; ++c) *out++ = image.pixels[pixel * channels + c];
    }
  }
  return result;
}

}  // namespace nestrt::tools
