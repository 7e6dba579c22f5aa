// SPDX-License-Identifier: Apache-2.0
// Images: decodes JPEG, PNG and BMP, and resizes as Pillow does.
//
// JPEG is decoded by libjpeg-turbo with its default options (accurate integer DCT, smooth chroma upsampling), so that
// pixels equal those of other programs that use it. Alpha is dropped; CMYK is converted to RGB; 16-bit PNG is cut to 8
// bits. Images are rotated according to their EXIF data (JPEG, PNG), as in OpenCV's imread, viewers, and optionally
// Pillow. Files are untrusted: images of more than max_pixels() are rejected before memory is allocated.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "nestrt/result.h"
#include "runtime/image/image_fit.h"

namespace nestrt::tools {

using nestrt::kMaxPixels;

// Returns the maximum number of pixels of `pixel_bytes` bytes in a file of this size: at most kMaxPixels, and at most
// 80 MB plus eight times the file, where a grey pixel counts as 3 bytes because an RGB network expands it. Photographs
// stay below this limit; a file of a few hundred bytes with a single colour does not.
int64_t max_pixels(size_t file_bytes, int64_t pixel_bytes);

struct Image {
  int width = 0;
  int height = 0;
  int channels = 0;             // 1: luminance, 3: RGB
  std::vector<uint8_t> pixels;  // [height][width][channels]
};

// Errors: kNotFound, kIo, kInvalidArgument (not an image, truncated, too large); each names the file.
Result<Image> read_image(const std::string& path);
// Decodes the content of a file; `name` appears in messages.
Result<Image> decode_image(std::span<const std::byte> content, std::string_view name);

// Converts RGB to ITU-R 601 luminance or grey to RGB with equal channels. Returns the same image if it already has that
// number of channels.
Image to_channels(const Image& image, int channels);

// Resizes with bilinear interpolation and half-pixel centres; when shrinking, the triangle filter widens by the factor
// (antialiasing). The result equals Pillow's Image.resize(size, BILINEAR), which torchvision also uses, bit for bit:
// 22-bit fixed-point weights, rows first, intermediate rounding to 8 bits. Without antialiasing, only the nearest
// pixels are interpolated, as in OpenCV's INTER_LINEAR, with differences of at most 1. An equal size copies. Requires:
// a non-empty image; width, height > 0.
Image resize(const Image& image, int width, int height, bool antialias = true);

}  // namespace nestrt::tools
