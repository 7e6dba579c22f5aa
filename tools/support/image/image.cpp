// SPDX-License-Identifier: Apache-2.0
#include "tools/support/image/image.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <climits>
#include <cstdlib>
#include <limits>
#include <memory>

#include "runtime/core/budget.h"
#include "tools/support/image/exif.h"
#include "tools/support/image/jpeg.h"
#include "tools/support/text/files.h"
#include "tools/support/text/table.h"

namespace nestrt::tools {
namespace {

// Limits the growth of stb_image's buffers. It inflates the whole PNG before it compares the size with its pixels, and
// a file can expand to a thousand times its size.
struct GrowthLimit {
  size_t bytes = 0;
  bool reached = false;
};
thread_local GrowthLimit growth_limit;

void* grow_buffer(void* buffer, size_t bytes) {
  growth_limit.reached = bytes > growth_limit.bytes;
  return growth_limit.reached ? nullptr : std::realloc(buffer, bytes);
}

}  // namespace
}  // namespace nestrt::tools

#define STBI_MALLOC(bytes) std::malloc(bytes)
#define STBI_REALLOC(buffer, bytes) nestrt::tools::grow_buffer(buffer, bytes)
#define STBI_FREE(buffer) std::free(buffer)
#define STB_IMAGE_IMPLEMENTATION
#define STB_IMAGE_STATIC
#define STBI_ONLY_PNG
#define STBI_ONLY_BMP
#define STBI_NO_STDIO
#define STBI_NO_HDR
#define STBI_NO_LINEAR
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-function"
#include <stb/stb_image.h>
#pragma GCC diagnostic pop

namespace nestrt::tools {
namespace {

Status refuse_image(std::string_view name, std::string_view why) {
  return Status(Code::kInvalidArgument, fmt::format("'{}' {}", name, why));
}

// Returns an unsigned little-endian number of `count` bytes; 0 past the end.
uint64_t number_at(std::span<const std::byte> content, size_t at, size_t count) {
  uint64_t value = 0;
  for (size_t i = 0; i < count && at + i < content.size(); ++i)
    value |= std::to_integer<uint64_t>(content[at + i]) << 8 * i;
  return value;
}

// Detects a BMP that ends before its last pixel, which stb_image would fill in.
bool is_truncated_bmp(std::span<const std::byte> content, int width, int height) {
  if (content.size() < 2 || content[0] != std::byte{'B'} || content[1] != std::byte{'M'}) return false;
  const bool core_header = number_at(content, 14, 4) == 12;
  const uint64_t bits = static_cast<uint64_t>(width) * number_at(content, core_header ? 24 : 28, 2);
  const uint64_t rows = (bits + 31) / 32 * 4 * static_cast<uint64_t>(height - 1);
  return content.size() < number_at(content, 10, 4) + rows + (bits + 7) / 8;
}

// Returns the limit for the buffers of a PNG. A row has one byte in addition to its pixels, an interlaced row has two.
// Buffers grow by doubling; that of the compressed data starts at one page.
GrowthLimit growth_for(size_t content_bytes, size_t width, size_t height, size_t pixel_bytes) {
  return {2 * (content_bytes + (width * pixel_bytes + 2) * height) + 4096, false};
}

Status refuse_undecodable(std::string_view name) {
  if (growth_limit.reached) return refuse_image(name, "is damaged: it contains more data than its pixels need");
  const char* const reason = stbi_failure_reason();  // empty, one word, or bytes of the file
  return refuse_image(name, fmt::format("cannot be decoded, it is truncated or damaged ({})",
                                        reason == nullptr || *reason == '\0' ? "no valid chunk" : printable(reason)));
}

// Properties of a PNG that stb_image does not report.
struct PngChunks {
  // A chunk exceeds the file: stb_image would allocate its declared length, up to gigabytes. stb_image reports a
  // missing end itself.
  bool truncated = false;
  bool damaged = false;             // a required chunk has a wrong checksum
  std::span<const std::byte> exif;  // content of the first eXIf chunk
};

// Computes the CRC-32 of PNG (ISO/IEC 15948, annex D), which stb_image ignores.
uint32_t checksum(std::span<const std::byte> bytes) {
  static constexpr auto kTable = [] {
    std::array<uint32_t, 256> table{};
    for (uint32_t i = 0; i < table.size(); ++i) {
      table[i] = i;
      for (int bit = 0; bit < 8; ++bit) table[i] = (table[i] >> 1) ^ ((table[i] & 1) != 0 ? 0xedb88320 : 0);
    }
    return table;
  }();
  uint32_t value = 0xffffffff;
  for (std::byte byte : bytes) value = kTable[(value ^ std::to_integer<uint32_t>(byte)) & 0xff] ^ (value >> 8);
  return ~value;
}

uint32_t big_endian_at(std::span<const std::byte> content, size_t at) {
  uint32_t value = 0;
  for (size_t i = 0; i < 4; ++i) value = value << 8 | static_cast<uint32_t>(number_at(content, at + i, 1));
  return value;
}

// Returns an empty result if the file is not a PNG.
PngChunks find_chunks(std::span<const std::byte> content) {
  constexpr size_t kSignature = 8, kHeader = 8, kChecksum = 4;
  constexpr std::byte kAncillary{0x20};  // bit in the first letter of a chunk type
  constexpr uint64_t kPng = 0x474e5089, kEnd = 0x444e4549, kExif = 0x66495865;  // "\x89PNG", "IEND", "eXIf"
  PngChunks result;
  if (number_at(content, 0, 4) != kPng) return result;
  for (size_t at = kSignature; at + kHeader <= content.size();) {
    const uint64_t length = big_endian_at(content, at);
    result.truncated = length > content.size() - at - kHeader;
    const uint64_t type = number_at(content, at + 4, 4);
    if (result.truncated || type == kEnd) break;
    if (type == kExif && result.exif.empty()) result.exif = content.subspan(at + kHeader, length);
    if ((content[at + 4] & kAncillary) == std::byte{0})
      result.damaged |= checksum(content.subspan(at + 4, 4 + length)) != big_endian_at(content, at + kHeader + length);
    at += kHeader + length + kChecksum;
  }
  return result;
}

Result<Image> decode_stb(std::span<const std::byte> content, std::string_view name) {
  if (content.size() > std::numeric_limits<int>::max()) return refuse_image(name, "is too large for an image");
  const auto* data = reinterpret_cast<const stbi_uc*>(content.data());
  const int size = static_cast<int>(content.size());
  int width = 0, height = 0, file_channels = 0;
  if (!stbi_info_from_memory(data, size, &width, &height, &file_channels)) {
    return refuse_image(name, "is not a JPEG, PNG or BMP image");
  }
  height = height > INT_MIN ? std::abs(height) : 0;  // a negative height means top-down rows
  const int pixel_bytes = file_channels * (stbi_is_16_bit_from_memory(data, size) ? 2 : 1);
  const int64_t most = max_pixels(content.size(), pixel_bytes);
  if (width <= 0 || height <= 0 || int64_t{width} * height > most)
    return refuse_image(
        name, fmt::format("has {}x{} pixels, but at most {} are supported; shrink it first", width, height, most));
  const PngChunks chunks = find_chunks(content);
  if (chunks.truncated)
    return refuse_image(name, "cannot be decoded, it is truncated or damaged (a chunk reaches beyond the end)");
  if (is_truncated_bmp(content, width, height))
    return refuse_image(name, "is truncated: it ends before its last pixel");
  const int channels = file_channels <= 2 ? 1 : 3;
  growth_limit = growth_for(content.size(), static_cast<size_t>(width), static_cast<size_t>(height),
                            static_cast<size_t>(pixel_bytes));
  const std::unique_ptr<stbi_uc, decltype(&stbi_image_free)> pixels(
      stbi_load_from_memory(data, size, &width, &height, &file_channels, channels), &stbi_image_free);
  if (!pixels) return refuse_undecodable(name);
  if (chunks.damaged) return refuse_image(name, "is damaged: the checksum of a chunk is wrong");
  const size_t count = static_cast<size_t>(width) * static_cast<size_t>(height) * static_cast<size_t>(channels);
  return turned({width, height, channels, std::vector<uint8_t>(pixels.get(), pixels.get() + count)},
                exif_orientation(chunks.exif));
}

}  // namespace

int64_t max_pixels(size_t file_bytes, int64_t pixel_bytes) {
  constexpr int64_t kRgbBytes = 3;  // size of a grey pixel after to_channels()
  const Budget bytes = Budget::of_file(uint64_t{80} << 20, 8, file_bytes);
  return std::min(kMaxPixels, static_cast<int64_t>(bytes.limit()) / std::max<int64_t>(pixel_bytes, kRgbBytes));
}

Result<Image> decode_image(std::span<const std::byte> content, std::string_view name) {
  return is_jpeg(content) ? decode_jpeg(content, name) : decode_stb(content, name);
}

Result<Image> read_image(const std::string& path) {
  NESTRT_ASSIGN_OR_RETURN(const std::vector<std::byte> content, read_file(path, uint64_t{1} << 30));
  return decode_image(content, path);
}

Image to_channels(const Image& image, int channels) {
  if (image.channels == channels) return image;
  Image result{image.width, image.height, channels, {}};
  const size_t num_pixels = static_cast<size_t>(image.width) * static_cast<size_t>(image.height);
  result.pixels.resize(num_pixels * static_cast<size_t>(channels));
  for (size_t i = 0; i < num_pixels; ++i) {
    if (channels == 1) {
      const uint8_t* rgb = &image.pixels[i * 3];
      // Weights 0.299, 0.587 and 0.114 in 16-bit fixed point, as in Pillow's convert("L").
      result.pixels[i] = static_cast<uint8_t>((rgb[0] * 19595 + rgb[1] * 38470 + rgb[2] * 7471 + 0x8000) >> 16);
    } else {
      for (size_t c = 0; c < 3; ++c) result.pixels[i * 3 + c] = image.pixels[i];
    }
  }
  return result;
}

}  // namespace nestrt::tools
