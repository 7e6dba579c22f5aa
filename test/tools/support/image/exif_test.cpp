// SPDX-License-Identifier: Apache-2.0
#include "tools/support/image/exif.h"

#include <catch2/catch.hpp>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "test/support/sample_images.h"

namespace nestrt::tools {
namespace {

using test::from_hex;
using test::images::kExifBigEndian;
using test::images::kExifLittleEndian;
using test::images::kJpeg5x4;
using test::images::kPngRgb3x2;

// Positions of the last byte of numbers in kExifBigEndian.
constexpr size_t kAtMagic = 3, kAtOffset = 7, kAtEntries = 9, kAtType = 13, kAtCount = 17, kAtValue = 19;

std::vector<std::byte> block_with(size_t at, int value) {
  std::vector<std::byte> block = from_hex(kExifBigEndian);
  block.at(at) = static_cast<std::byte>(value);
  return block;
}

// Returns the displayed position of the stored pixel (x, y). Comments give the sides of row 0 and column 0 according to
// Exif 2.32, 4.6.4.
struct SeenPlace {
  int x, y;
};
SeenPlace place_seen(int orientation, int x, int y, int width, int height) {
  const int from_right = width - 1 - x, from_bottom = height - 1 - y;
  switch (orientation) {
    case 2:
      return {from_right, y};  // top, right
    case 3:
      return {from_right, from_bottom};  // bottom, right
    case 4:
      return {x, from_bottom};  // bottom, left
    case 5:
      return {y, x};  // left, top
    case 6:
      return {from_bottom, x};  // right, top
    case 7:
      return {from_bottom, from_right};  // right, bottom
    case 8:
      return {y, from_right};  // left, bottom
    default:
      return {x, y};  // top, left
  }
}

void check_turned(const Result<Image>& image, const Image& stored, int orientation) {
  INFO("orientation " << orientation);
  REQUIRE(image);
  REQUIRE(image->width == (orientation < 5 ? stored.width : stored.height));
  REQUIRE(image->height == (orientation < 5 ? stored.height : stored.width));
  REQUIRE(image->channels == stored.channels);
  REQUIRE(image->pixels.size() == stored.pixels.size());
  const auto pixel = [](const Image& of, int x, int y) {
    const auto first = of.pixels.begin() + (y * of.width + x) * of.channels;
    return std::vector<uint8_t>(first, first + of.channels);
  };
  for (int y = 0; y < stored.height; ++y) {
    for (int x = 0; x < stored.width; ++x) {
      const SeenPlace place = place_seen(orientation, x, y, stored.width, stored.height);
      CHECK(pixel(*image, place.x, place.y) == pixel(stored, x, y));
    }
  }
}

TEST_CASE("An image is rotated according to its EXIF orientation") {
  const auto jpeg = decode_image(from_hex(kJpeg5x4), "x"), png = decode_image(from_hex(kPngRgb3x2), "x");
  REQUIRE(jpeg);
  REQUIRE(png);
  for (int orientation = 1; orientation <= 8; ++orientation) {
    const std::vector<std::byte> block = block_with(kAtValue, orientation);
    check_turned(decode_image(test::jpeg_with_exif(kJpeg5x4, block), "x"), *jpeg, orientation);
    check_turned(decode_image(test::png_with_exif(kPngRgb3x2, block), "x"), *png, orientation);
  }
}

TEST_CASE("An image that is rotated right has its last row as its first column") {
  CHECK(turned({3, 2, 1, {1, 2, 3, 4, 5, 6}}, 6).pixels == std::vector<uint8_t>{4, 1, 5, 2, 6, 3});
}

TEST_CASE("An EXIF block is read in either byte order") {
  CHECK(exif_orientation(from_hex(kExifBigEndian)) == 6);
  CHECK(exif_orientation(from_hex(kExifLittleEndian)) == 6);
}

TEST_CASE("The orientation is found after other entries") {
  const std::string other = "0100000400000001000000ff";
  const std::string block = std::string(kExifBigEndian).replace(18, 2, "03").insert(20, other + other);
  CHECK(exif_orientation(from_hex(block)) == 6);
}

TEST_CASE("A truncated EXIF block causes no rotation") {
  for (const std::string_view hex : {kExifBigEndian, kExifLittleEndian}) {
    const std::vector<std::byte> block = from_hex(hex);
    for (size_t size = 0; size <= kAtValue; ++size) {
      // Exact allocation, so that a sanitizer detects reads beyond the end.
      const std::vector<std::byte> cut(block.begin(), block.begin() + static_cast<ptrdiff_t>(size));
      CHECK(exif_orientation(cut) == 1);
      CHECK(decode_image(test::jpeg_with_exif(kJpeg5x4, cut), "x")->width == 5);
      CHECK(decode_image(test::png_with_exif(kPngRgb3x2, cut), "x")->width == 3);
    }
  }
}

TEST_CASE("An invalid orientation causes no rotation") {
  const auto what = GENERATE(std::pair<size_t, int>{kAtValue, 0}, std::pair<size_t, int>{kAtValue, 9},
                             std::pair<size_t, int>{kAtValue - 1, 1}, std::pair<size_t, int>{kAtType, 4},
                             std::pair<size_t, int>{kAtType, 1}, std::pair<size_t, int>{kAtCount, 0},
                             std::pair<size_t, int>{kAtCount, 2}, std::pair<size_t, int>{kAtCount - 3, 1});
  CHECK(exif_orientation(block_with(what.first, what.second)) == 1);
}

TEST_CASE("An EXIF block with a different header or a directory beyond its end causes no rotation") {
  CHECK(exif_orientation(block_with(0, 'I')) == 1);
  CHECK(exif_orientation(block_with(0, 0)) == 1);
  CHECK(exif_orientation(block_with(kAtMagic, 43)) == 1);
  for (const int offset : {0, 9, 25, 26, 255}) CHECK(exif_orientation(block_with(kAtOffset, offset)) == 1);
  CHECK(exif_orientation(block_with(kAtOffset - 3, 0xff)) == 1);
  CHECK(exif_orientation(block_with(kAtEntries, 0)) == 1);
}

TEST_CASE("A directory that declares too many entries is read to the end of the block") {
  std::vector<std::byte> block = block_with(kAtEntries - 1, 0xff);
  CHECK(exif_orientation(block) == 6);
  block[kAtEntries + 1] = std::byte{0x02};
  CHECK(exif_orientation(block) == 1);
}

TEST_CASE("Only the first Exif segment before the pixels of a JPEG rotates it") {
  const std::vector<std::byte> one = block_with(kAtValue, 1);
  const std::string segment = "ffe10022457869660000" + std::string(kExifBigEndian);
  const std::string other_name = "ffe1000a4578696601000000", rest(kJpeg5x4.substr(4));
  CHECK(decode_image(from_hex("ffd8" + other_name + segment + rest), "x")->width == 4);
  CHECK(decode_image(test::jpeg_with_exif("ffd8" + segment + rest, one), "x")->width == 5);
  const std::string after = std::string(kJpeg5x4.substr(0, kJpeg5x4.size() - 4)) + segment + "ffd9";
  CHECK(decode_image(from_hex(after), "x")->width == 5);
}

}  // namespace
}  // namespace nestrt::tools
