// SPDX-License-Identifier: Apache-2.0
#include "tools/support/image/jpeg.h"

#include <fmt/core.h>
#include <turbojpeg.h>

#include <memory>
#include <string>
#include <utility>

#include "nestrt/log.h"
#include "tools/support/image/exif.h"

namespace nestrt::tools {
namespace {

using Decoder = std::unique_ptr<void, decltype(&tjDestroy)>;

Status refuse_jpeg(std::string_view name, std::string_view why) {
  return Status(Code::kInvalidArgument, fmt::format("'{}' cannot be decoded as JPEG: {}", name, why));
}

// Properties of a file that TurboJPEG does not report.
struct Markers {
  bool end = false;                 // has an end-of-image marker
  bool adobe = false;               // has an Adobe segment
  bool scan = false;                // pixels have started
  std::span<const std::byte> exif;  // content of the first Exif segment before the pixels
};

// `segment`: the bytes after a marker, starting with the length.
void note_segment(uint8_t marker, std::string_view segment, Markers& markers) {
  constexpr uint8_t kScan = 0xda, kApp1 = 0xe1, kApp14 = 0xee;
  constexpr std::string_view kAdobe = "Adobe", kExif("Exif\0\0", 6);
  constexpr size_t kLengthBytes = 2, kAdobeBytes = 14;  // of a complete Adobe segment
  if (segment.size() < kLengthBytes) return;
  const std::string_view data = segment.substr(kLengthBytes);
  markers.adobe |= marker == kApp14 && segment.size() >= kAdobeBytes && data.starts_with(kAdobe);
  markers.scan |= marker == kScan;
  if (marker == kApp1 && !markers.scan && markers.exif.empty() && data.starts_with(kExif))
    markers.exif = std::as_bytes(std::span(data.substr(kExif.size())));
}

// Visits markers as libjpeg does: it skips segments by their length, and other bytes, such as entropy-coded data, until
// the next marker.
Markers find_markers(std::span<const std::byte> content) {
  constexpr uint8_t kFirstFrame = 0xc0, kRestart0 = 0xd0, kStart = 0xd8, kEnd = 0xd9;
  const std::string_view text(reinterpret_cast<const char*>(content.data()), content.size());
  Markers result;
  for (size_t at = text.find('\xff'); at < text.size(); at = text.find('\xff', at)) {
    at = text.find_first_not_of('\xff', at);
    if (at == std::string_view::npos) break;
    const auto marker = static_cast<uint8_t>(text[at++]);
    result.end = marker == kEnd;
    if (result.end) break;
    if (marker < kFirstFrame || (marker >= kRestart0 && marker <= kStart)) continue;  // markers without a length
    if (text.size() - at < 2) break;
    const size_t length = size_t{static_cast<uint8_t>(text[at])} << 8 | static_cast<uint8_t>(text[at + 1]);
    note_segment(marker, text.substr(at, length), result);
    at += length;
  }
  return result;
}

struct JpegHeader {
  int width = 0, height = 0;
  int colours = -1;  // TJCS
};

// TurboJPEG reports unknown subsampling as an error but decodes it, so the header values decide.
Result<JpegHeader> read_header(tjhandle decoder, std::span<const std::byte> content, std::string_view name) {
  JpegHeader header;
  int sampling = 0;
  tjDecompressHeader3(decoder, reinterpret_cast<const unsigned char*>(content.data()), content.size(), &header.width,
                      &header.height, &sampling, &header.colours);
  if (header.width <= 0 || header.height <= 0 || header.colours < 0) return refuse_jpeg(name, tjGetErrorStr2(decoder));
  const int64_t most = max_pixels(content.size(), header.colours == TJCS_GRAY ? 1 : 4);
  if (int64_t{header.width} * header.height > most)
    return refuse_jpeg(name, fmt::format("it has {}x{} pixels, but at most {} are supported; shrink it first",
                                         header.width, header.height, most));
  return header;
}

TJPF pixel_format(int colours) {
  if (colours == TJCS_GRAY) return TJPF_GRAY;
  return colours == TJCS_CMYK || colours == TJCS_YCCK ? TJPF_CMYK : TJPF_RGB;
}

// Returns whether a libjpeg warning means lost or invalid data; its other warnings are peculiarities of the encoder.
bool is_damage(std::string_view warning) {
  return warning.starts_with("Corrupt JPEG data") || warning.starts_with("Premature end");
}

// Returns false after an error; tjGetErrorStr2() has the message. After a warning, the image is decoded again with
// warnings ignored, and the user is warned of damage, which other viewers ignore as well. TurboJPEG reports a warning
// even if an error follows, so the message decides: it belongs to the first warning or to the error.
bool decode(tjhandle decoder, std::span<const std::byte> content, TJPF format, std::string_view name, Image& image) {
  const auto decompress = [&](int flags) {
    return tjDecompress2(decoder, reinterpret_cast<const unsigned char*>(content.data()), content.size(),
                         image.pixels.data(), image.width, 0, image.height, format, flags) == 0;
  };
  // A progressive file of a few kilobytes can contain thousands of scans, each of which processes the whole image.
  if (decompress(TJFLAG_LIMITSCANS | TJFLAG_STOPONWARNING)) return true;
  if (tjGetErrorCode(decoder) != TJERR_WARNING) return false;
  const std::string warning = tjGetErrorStr2(decoder);
  if (!decompress(TJFLAG_LIMITSCANS) && tjGetErrorStr2(decoder) != warning) return false;
  if (is_damage(warning))
    log(LogLevel::kWarning, fmt::format("'{}' is damaged, and some of its pixels may be wrong: {}", name, warning));
  return true;
}

// Adobe programs store inverted CMYK, in which 255 means no ink.
Image cmyk_to_rgb(const Image& cmyk, bool inverted) {
  Image rgb{cmyk.width, cmyk.height, 3, std::vector<uint8_t>(cmyk.pixels.size() / 4 * 3)};
  for (size_t pixel = 0; pixel < cmyk.pixels.size() / 4; ++pixel) {
    const uint8_t* in = &cmyk.pixels[pixel * 4];
    const auto light = [&](size_t ink) { return inverted ? in[ink] : 255 - in[ink]; };
    for (size_t c = 0; c < 3; ++c) rgb.pixels[pixel * 3 + c] = static_cast<uint8_t>((light(c) * light(3) + 127) / 255);
  }
  return rgb;
}

}  // namespace

bool is_jpeg(std::span<const std::byte> content) {
  return content.size() > 3 && content[0] == std::byte{0xff} && content[1] == std::byte{0xd8} &&
         content[2] == std::byte{0xff};
}

Result<Image> decode_jpeg(std::span<const std::byte> content, std::string_view name) {
  const Decoder decoder(tjInitDecompress(), &tjDestroy);
  if (!decoder) return refuse_jpeg(name, tjGetErrorStr2(nullptr));
  NESTRT_ASSIGN_OR_RETURN(const JpegHeader header, read_header(decoder.get(), content, name));
  const Markers markers = find_markers(content);
  // The decoder only warns and fills the missing part with grey.
  if (!markers.end) return refuse_jpeg(name, "it is truncated: the end-of-image marker is missing");
  const TJPF format = pixel_format(header.colours);
  Image image{header.width, header.height, tjPixelSize[format], {}};
  image.pixels.resize(static_cast<size_t>(int64_t{image.width} * image.height * image.channels));
  if (!decode(decoder.get(), content, format, name, image)) return refuse_jpeg(name, tjGetErrorStr2(decoder.get()));
  if (image.channels == 4) image = cmyk_to_rgb(image, markers.adobe);
  return turned(std::move(image), exif_orientation(markers.exif));
}

}  // namespace nestrt::tools
