// Images: decoded from JPEG, PNG and BMP, resized as Pillow does.
//
// JPEG is decoded by libjpeg-turbo with its default options (accurate integer DCT, smooth chroma upsampling), so that
// pixels equal those of other programs that use it. Alpha is dropped; CMYK is converted to RGB; 16-bit PNG is cut to 8
// bits. An image is turned as its EXIF data say (JPEG, PNG), as OpenCV's imread and viewers do, and Pillow where it is
// asked to. A file is untrusted: images of more than max_pixels() are refused before memory is allocated.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "nestrt/result.h"

namespace nestrt::tools {

inline constexpr int64_t kMaxPixels = int64_t{1} << 26;
// How many pixels of so many bytes a file of that size may have: kMaxPixels at most, and 80 MB and eight times the
// file, in which a grey pixel counts as the three bytes that a network of RGB makes of it. A photograph has more bytes
// than that asks for; a few hundred bytes that are all one colour have not.
int64_t max_pixels(size_t file_bytes, int64_t pixel_bytes);

struct Image {
  int width = 0;
  int height = 0;
  int channels = 0;             // 1: luminance, 3: RGB
  std::vector<uint8_t> pixels;  // [height][width][channels]
};

// Errors: kNotFound, kIo, kInvalidArgument (not an image, cut short, too large), each naming the file.
Result<Image> read_image(const std::string& path);
// The same over a file's content; `name` stands in messages.
Result<Image> decode_image(std::span<const std::byte> content, std::string_view name);

// ITU-R 601 luminance of an RGB image, or RGB of three equal channels; the same image where it has them already.
Image to_channels(const Image& image, int channels);

// Bilinear with half-pixel centres; where the image shrinks, the triangle filter widens with the factor, so nothing
// is skipped (antialiasing). Bit for bit Pillow's Image.resize(size, BILINEAR), which torchvision uses too: fixed-point
// weights of 22 bits, rows first, rounded to 8 bits in between. Equal size copies.
// Requires: an image that is not empty; width, height > 0.
Image resize(const Image& image, int width, int height);

}  // namespace nestrt::tools
