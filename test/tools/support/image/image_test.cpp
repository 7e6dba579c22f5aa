// SPDX-License-Identifier: Apache-2.0
// Expected pixels are from Pillow 13.0 (libjpeg-turbo 3, default options).
#include "tools/support/image/image.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "nestrt/log.h"
#include "test/support/sample_images.h"

namespace nestrt::tools {
namespace {

using namespace test::images;
using test::from_hex;

constexpr std::string_view kSecondScanOfDc = "ffda00080101000000107f";

// Inserts hexadecimal digits before the last `bytes` bytes.
std::string with_inserted(std::string_view hex, size_t bytes, std::string_view more) {
  return std::string(hex.substr(0, hex.size() - 2 * bytes)).append(more).append(hex.substr(hex.size() - 2 * bytes));
}

// Returns an image without symmetry: (37 x + 91 y + 53 c + 7 x y) mod 256.
Image pattern(int width, int height, int channels) {
  Image image{width, height, channels, {}};
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      for (int c = 0; c < channels; ++c)
        image.pixels.push_back(static_cast<uint8_t>(x * 37 + y * 91 + c * 53 + x * y * 7));
    }
  }
  return image;
}

TEST_CASE("PNG and BMP decode to their pixels") {
  for (const std::string_view file : {kPngRgb3x2, kBmpRgb3x2}) {
    const auto image = decode_image(from_hex(file), "x");
    REQUIRE(image);
    CHECK(image->width == 3);
    CHECK(image->height == 2);
    CHECK(image->channels == 3);
    CHECK(image->pixels == pattern(3, 2, 3).pixels);
  }
}

TEST_CASE("A PNG with a chunk longer than the file is rejected before allocation") {
  std::vector<std::byte> file = from_hex(kPngRgba2x2);
  constexpr size_t kLengthOfData = 33;
  file[kLengthOfData] = std::byte{0x3f};
  const auto image = decode_image(file, "x");
  REQUIRE_FALSE(image);
  CHECK(image.error().message() ==
        "'x' cannot be decoded, it is truncated or damaged (a chunk reaches beyond the end)");
}

TEST_CASE("Alpha is dropped") {
  const auto image = decode_image(from_hex(kPngRgba2x2), "x");
  REQUIRE(image);
  CHECK(image->channels == 3);
  CHECK(image->pixels == pattern(2, 2, 3).pixels);
}

TEST_CASE("JPEG decodes as libjpeg does by default") {
  const auto image = decode_image(from_hex(kJpeg5x4), "x");
  REQUIRE(image);
  CHECK(image->width == 5);
  CHECK(image->height == 4);
  CHECK(image->pixels == std::vector<uint8_t>{3,  3,   75,  33, 10,  82,  84,  11,  84,  130, 14,  87,  166, 16,  88,
                                              19, 51,  92,  50, 58,  97,  101, 58,  101, 147, 62,  103, 183, 64,  104,
                                              19, 114, 92,  51, 121, 97,  102, 121, 101, 146, 124, 101, 183, 127, 104,
                                              34, 161, 106, 65, 168, 113, 118, 168, 115, 162, 172, 119, 199, 174, 118});
}

TEST_CASE("A grey JPEG has one channel") {
  for (const std::string_view file : {kJpegGrey, kJpegProgressive}) {
    const auto image = decode_image(from_hex(file), "x");
    REQUIRE(image);
    CHECK(image->channels == 1);
    CHECK(image->pixels == std::vector<uint8_t>{77});
  }
}

TEST_CASE("A CMYK JPEG becomes RGB, and Adobe's inverted form is supported") {
  const std::string start = "ffd8", adobe = "ffee000e41646f626500640000000000";
  const auto plain = decode_image(from_hex(kJpegCmyk), "x");
  REQUIRE(plain);
  CHECK(plain->channels == 3);
  // (255 - ink) (255 - black) / 255
  CHECK(plain->pixels == std::vector<uint8_t>{82, 61, 20});
  const auto inverted = decode_image(from_hex(with_inserted(kJpegCmyk, kJpegCmyk.size() / 2 - 2, adobe)), "x");
  REQUIRE(inverted);
  // ink black / 255
  CHECK(inverted->pixels == std::vector<uint8_t>{31, 61, 122});
}

TEST_CASE("A truncated JPEG is rejected even after other warnings") {
  const std::string odd = with_inserted(kJpegGrey, 14, "0000");  // before the scan
  REQUIRE(decode_image(from_hex(odd), "x"));
  for (const std::string_view file : {kJpegGrey, kJpegProgressive, kJpegCmyk, std::string_view(odd)}) {
    const std::vector<std::byte> content = from_hex(file);
    for (size_t size = 0; size < content.size(); ++size)
      CHECK_FALSE(decode_image(std::span(content).first(size), "cut.jpg"));
  }
}

TEST_CASE("Lost or invalid data in a JPEG is reported") {
  std::vector<std::string> heard;
  set_log_hook([&](LogLevel, std::string_view message) { heard.emplace_back(message); });
  CHECK(decode_image(from_hex(kJpegGrey), "good.jpg"));
  CHECK(heard.empty());
  CHECK(decode_image(from_hex(with_inserted(kJpegGrey, 14, "0000")), "odd.jpg"));  // before the scan
  set_log_hook(nullptr);
  REQUIRE(heard.size() == 1);
  CHECK(heard[0] ==
        "'odd.jpg' is damaged, and some of its pixels may be wrong: Corrupt JPEG data: 2 extraneous bytes before "
        "marker 0xda");
}

TEST_CASE("An irregular JPEG is decoded, but errors after the irregularity are reported") {
  const std::string odd = with_inserted(kJpegGrey, 2, "0000");
  const auto image = decode_image(from_hex(odd), "x");
  REQUIRE(image);
  CHECK(image->pixels == std::vector<uint8_t>{77});
  const std::string table_of_no_length = "ffc40003";
  CHECK_FALSE(decode_image(from_hex(with_inserted(odd, 2, table_of_no_length + "00")), "x"));
}

TEST_CASE("A JPEG with too many scans is rejected") {
  std::string scans;
  for (int i = 0; i < 400; ++i) scans += kSecondScanOfDc;
  const auto image = decode_image(from_hex(with_inserted(kJpegProgressive, 2, scans)), "x");
  REQUIRE(image);
  CHECK(image->pixels == std::vector<uint8_t>{77});
  const auto refused = decode_image(from_hex(with_inserted(kJpegProgressive, 2, scans + scans)), "bomb.jpg");
  REQUIRE_FALSE(refused);
  CHECK(refused.error().message().find("scans") != std::string_view::npos);
}

TEST_CASE("A JPEG with excessive sizes in its header is rejected before allocation") {
  std::vector<std::byte> content = from_hex(kJpegGrey);
  constexpr size_t kHeight = 76, kWidth = 78;  // offsets in the frame header
  REQUIRE(content[kHeight + 1] == std::byte{1});
  content[kHeight] = content[kWidth] = std::byte{0x80};
  const auto image = decode_image(content, "bomb.jpg");
  REQUIRE_FALSE(image);
  CHECK(image.error().message().find("but at most") != std::string_view::npos);
}

namespace {

std::string png_number(size_t value) {
  std::string bytes;
  for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(value >> shift & 0xff);
  return bytes;
}

std::string png_chunk(const std::string& type, const std::string& data) {
  uint32_t checksum = 0xffffffff;  // ISO/IEC 15948, annex D, bit by bit
  for (const char c : type + data) {
    checksum ^= static_cast<uint8_t>(c);
    for (int bit = 0; bit < 8; ++bit) checksum = (checksum >> 1) ^ ((checksum & 1) != 0 ? 0xedb88320 : 0);
  }
  return png_number(data.size()) + type + data + png_number(~checksum);
}

// Returns a grey PNG with this compressed data. The checksum of the data itself is not verified.
std::vector<std::byte> grey_png(size_t side, int bits, bool interlaced, const std::string& data) {
  std::string header = png_number(side) + png_number(side);
  header += {static_cast<char>(bits), 0, 0, 0, static_cast<char>(interlaced)};
  const std::string png =
      "\x89PNG\r\n\x1a\n" + png_chunk("IHDR", header) + png_chunk("IDAT", data) + png_chunk("IEND", "");
  const auto* bytes = reinterpret_cast<const std::byte*>(png.data());
  return {bytes, bytes + png.size()};
}

// Returns 1 + 258 `copies` zeros in zlib format: a literal, then copies of 258 bytes at distance one, 13 bits each.
std::string deflated_zeros(int copies) {
  std::string bits =
      "110"
      "00110000";  // the last block, fixed codes; a literal of 0
  for (int i = 0; i < copies; ++i) bits += "1100010100000";
  bits += "0000000";
  std::string result = "\x78\x01";
  for (size_t i = 0; i < bits.size(); i += 8) {
    int byte = 0;
    for (size_t bit = 0; bit < 8 && i + bit < bits.size(); ++bit) byte |= (bits[i + bit] - '0') << bit;
    result += static_cast<char>(byte);
  }
  return result + png_number(0);
}

}  // namespace

TEST_CASE("A PNG that inflates to more than its pixels is rejected during inflation") {
  const auto image = decode_image(grey_png(16, 8, false, deflated_zeros(1)), "x");  // 259 of 272 bytes
  REQUIRE_FALSE(image);
  const auto enough = decode_image(grey_png(16, 8, false, deflated_zeros(2)), "x");
  REQUIRE(enough);
  CHECK(enough->pixels == std::vector<uint8_t>(256));
  const auto bomb = decode_image(grey_png(1, 8, false, deflated_zeros(10000)), "bomb.png");
  REQUIRE_FALSE(bomb);
  CHECK(bomb.error().message().find("more data than its pixels need") != std::string_view::npos);
}

TEST_CASE("An interlaced PNG, which needs additional bytes, is decoded") {
  const auto image =
      decode_image(grey_png(8, 1, true, std::string("\x78\x01\x01\x1e\0\xe1\xff", 7) + std::string(34, '\0')), "x");
  REQUIRE(image);
  CHECK(image->pixels == std::vector<uint8_t>(64));
}

TEST_CASE("Truncated and damaged images are rejected or decoded without a crash") {
  for (const std::string_view file : {kPngRgb3x2, kBmpRgb3x2, kJpeg5x4}) {
    const std::vector<std::byte> content = from_hex(file);
    for (size_t size = 0; size < content.size(); ++size) {
      const auto image = decode_image(std::span(content).first(size), "broken.png");
      if (size + 64 < content.size()) {
        REQUIRE_FALSE(image);
        CHECK(image.error().message().find("broken.png") != std::string_view::npos);
      }
    }
    for (size_t position = 0; position < content.size(); ++position) {
      std::vector<std::byte> damaged = content;
      damaged[position] ^= std::byte{0xff};
      const auto image = decode_image(damaged, "x");
      if (image) {
        CHECK(image->pixels.size() == static_cast<size_t>(image->width) * static_cast<size_t>(image->height) *
                                          static_cast<size_t>(image->channels));
      }
    }
  }
}

TEST_CASE("A BMP that ends before its last pixel is rejected") {
  const std::vector<std::byte> content = from_hex(kBmpRgb3x2);
  const size_t padding = 3;
  CHECK(decode_image(std::span(content).first(content.size() - padding), "x"));
  for (size_t size = 54; size < content.size() - padding; ++size) {
    const auto image = decode_image(std::span(content).first(size), "broken.bmp");
    REQUIRE_FALSE(image);
    CHECK(image.error().message() == "'broken.bmp' is truncated: it ends before its last pixel");
  }
}

TEST_CASE("A BMP with top-down rows is read from its top") {
  const std::vector<std::byte> up = from_hex(kBmpRgb3x2);
  constexpr size_t kHeight = 22, kPixels = 54, kRow = 12;
  std::vector<std::byte> down = up;
  std::fill_n(down.begin() + kHeight, 4, std::byte{0xff});
  down[kHeight] = std::byte{0xfe};  // -2
  std::swap_ranges(down.begin() + kPixels, down.begin() + kPixels + kRow, down.begin() + kPixels + kRow);
  const auto image = decode_image(down, "down.bmp");
  REQUIRE(image);
  CHECK(image->pixels == pattern(3, 2, 3).pixels);
}

TEST_CASE("A PNG with a wrong checksum in a required chunk is rejected") {
  std::vector<std::byte> file = from_hex(kPngRgb3x2);
  constexpr size_t kHeaderChecksum = 29;
  file[kHeaderChecksum] ^= std::byte{1};
  const auto image = decode_image(file, "bad.png");
  REQUIRE_FALSE(image);
  CHECK(image.error().message() == "'bad.png' is damaged: the checksum of a chunk is wrong");
  const std::string text =
      "00000001"
      "74455874"
      "61"
      "00000000";  // tEXt
  CHECK(decode_image(from_hex(with_inserted(kPngRgb3x2, 12, text)), "x"));
}

TEST_CASE("A truncated PNG is reported as truncated") {
  const std::vector<std::byte> content = from_hex(kPngRgb3x2);
  for (size_t size = 40; size + 16 < content.size(); ++size) {
    const auto image = decode_image(std::span(content).first(size), "broken.png");
    REQUIRE_FALSE(image);
    CHECK(image.error().message().find("truncated or damaged (") != std::string_view::npos);
    CHECK(image.error().message().find("()") == std::string_view::npos);
  }
}

TEST_CASE("An image with excessive sizes in its header is rejected before allocation") {
  std::vector<std::byte> png = from_hex(kPngRgb3x2);
  png[16] = png[20] = std::byte{0x00};
  png[17] = png[21] = std::byte{0x80};
  const auto image = decode_image(png, "bomb.png");
  REQUIRE_FALSE(image);
  CHECK(image.error().code() == Code::kInvalidArgument);
}

TEST_CASE("Luminance has the weights of ITU-R 601") {
  CHECK(to_channels(pattern(3, 2, 3), 1).pixels == std::vector<uint8_t>{43, 80, 117, 134, 178, 193});
  CHECK(to_channels(Image{1, 1, 1, {9}}, 3).pixels == std::vector<uint8_t>{9, 9, 9});
}

TEST_CASE("Shrinking equals Pillow's bilinear filter") {
  CHECK(resize(pattern(13, 9, 3), 5, 4).pixels ==
        std::vector<uint8_t>{106, 131, 143, 120, 135, 146, 126, 124, 134, 115, 130, 137, 119, 144, 118,
                             123, 134, 130, 140, 141, 132, 141, 128, 126, 127, 129, 127, 135, 144, 144,
                             115, 147, 122, 128, 130, 113, 144, 134, 127, 124, 132, 109, 138, 106, 128,
                             131, 105, 146, 132, 117, 138, 122, 121, 128, 128, 124, 132, 129, 100, 153});
}

TEST_CASE("Enlarging equals Pillow's bilinear filter") {
  CHECK(resize(pattern(5, 4, 1), 7, 6).pixels ==
        std::vector<uint8_t>{0,   21,  48,  74,  100, 127, 148, 46,  69,  98,  127, 155, 130, 80,
                             106, 132, 152, 154, 186, 127, 31,  167, 195, 170, 53,  88,  106, 110,
                             100, 131, 133, 81,  119, 159, 190, 17,  50,  92,  133, 174, 216, 249});
}

TEST_CASE("Resizing to the same size copies") {
  const Image image = pattern(6, 5, 3);
  CHECK(resize(image, 6, 5).pixels == image.pixels);
}

TEST_CASE("The pixel limit grows with the file size up to a maximum") {
  CHECK(max_pixels(0, 3) == (80 << 20) / 3);
  CHECK(max_pixels(0, 8) == 10 << 20);
  CHECK(max_pixels(10 << 20, 8) == 20 << 20);
  CHECK(max_pixels(size_t{1} << 30, 3) == kMaxPixels);
  CHECK(max_pixels(0, 1) == max_pixels(0, 3));  // grey pixels become RGB if the network requires it
}

}  // namespace
}  // namespace nestrt::tools
