#include "tools/common/jpeg.h"

#include <fmt/format.h>

#include <csetjmp>
#include <cstdio>

// jpeglib.h needs size_t and FILE declared before it.
#include <jpeglib.h>

#include <jerror.h>

namespace nestrt::tools {
namespace {

// A progressive file of a few kilobytes can hold thousands of scans, each a pass over the whole picture.
constexpr int kMaxScans = 500;

// libjpeg's C objects, with its fatal errors turned into a jump. Nothing with a destructor may live in the frames
// between decode() and the jump.
struct Decoder {
  jpeg_decompress_struct info{};
  jpeg_error_mgr errors{};
  jpeg_progress_mgr progress{};
  std::jmp_buf on_error;
  char message[JMSG_LENGTH_MAX] = "";
};

Decoder& decoder_of(j_common_ptr info) { return *static_cast<Decoder*>(info->client_data); }

[[noreturn]] void fail(j_common_ptr info) {
  Decoder& decoder = decoder_of(info);
  info->err->format_message(info, decoder.message);
  std::longjmp(decoder.on_error, 1);
}

// Warnings are harmless oddities of the encoder, but for a file that ends early: its lower part would be grey.
void handle_message(j_common_ptr info, int level) {
  if (level < 0 && info->err->msg_code == JWRN_JPEG_EOF) fail(info);
}

void limit_scans(j_common_ptr info) {
  if (!info->is_decompressor || reinterpret_cast<j_decompress_ptr>(info)->input_scan_number <= kMaxScans) return;
  std::snprintf(decoder_of(info).message, JMSG_LENGTH_MAX, "more than %d scans", kMaxScans);
  std::longjmp(decoder_of(info).on_error, 1);
}

void set_up(Decoder& decoder) {
  decoder.info.err = jpeg_std_error(&decoder.errors);
  decoder.errors.error_exit = fail;
  decoder.errors.emit_message = handle_message;
  decoder.progress.progress_monitor = limit_scans;
  decoder.info.client_data = &decoder;
}

// Reads the header; the size and number of channels of the decoded picture are then in `info`.
bool start(Decoder& decoder, std::span<const std::byte> content) {
  if (setjmp(decoder.on_error)) return false;
  jpeg_create_decompress(&decoder.info);
  decoder.info.client_data = &decoder;
  decoder.info.progress = &decoder.progress;
  jpeg_mem_src(&decoder.info, reinterpret_cast<const unsigned char*>(content.data()), content.size());
  jpeg_read_header(&decoder.info, TRUE);
  jpeg_calc_output_dimensions(&decoder.info);
  return true;
}

bool decode(Decoder& decoder, uint8_t* pixels) {
  if (setjmp(decoder.on_error)) return false;
  jpeg_start_decompress(&decoder.info);
  const size_t row_bytes = size_t{decoder.info.output_width} * static_cast<size_t>(decoder.info.output_components);
  while (decoder.info.output_scanline < decoder.info.output_height) {
    JSAMPROW row = pixels + decoder.info.output_scanline * row_bytes;
    jpeg_read_scanlines(&decoder.info, &row, 1);
  }
  jpeg_finish_decompress(&decoder.info);
  return true;
}

// Adobe programs store CMYK inverted: 255 is no ink.
Image cmyk_to_rgb(const Image& cmyk, bool inverted) {
  Image rgb{cmyk.width, cmyk.height, 3, std::vector<uint8_t>(cmyk.pixels.size() / 4 * 3)};
  for (size_t pixel = 0; pixel < cmyk.pixels.size() / 4; ++pixel) {
    const uint8_t* in = &cmyk.pixels[pixel * 4];
    const auto light = [&](size_t ink) { return inverted ? in[ink] : 255 - in[ink]; };
    for (size_t c = 0; c < 3; ++c) rgb.pixels[pixel * 3 + c] = static_cast<uint8_t>((light(c) * light(3) + 127) / 255);
  }
  return rgb;
}

Result<Image> decode_with(Decoder& decoder, std::span<const std::byte> content, std::string_view name) {
  const auto refuse = [&](std::string_view why) {
    return Status(Code::kInvalidArgument, fmt::format("'{}' cannot be decoded as JPEG: {}", name, why));
  };
  if (!start(decoder, content)) return refuse(decoder.message);
  const int64_t width = decoder.info.output_width, height = decoder.info.output_height;
  const int channels = decoder.info.output_components;
  if (width * height > kMaxPixels) {
    return refuse(fmt::format("{}x{} pixels are more than the {} allowed; shrink it first", width, height, kMaxPixels));
  }
  if (channels != 1 && channels != 3 && channels != 4) return refuse(fmt::format("{} colour channels", channels));
  Image image{static_cast<int>(width), static_cast<int>(height), channels, {}};
  image.pixels.resize(static_cast<size_t>(width * height * channels));
  if (!decode(decoder, image.pixels.data())) return refuse(decoder.message);
  if (channels == 4) return cmyk_to_rgb(image, decoder.info.saw_Adobe_marker);
  return image;
}

}  // namespace

bool is_jpeg(std::span<const std::byte> content) {
  return content.size() > 3 && content[0] == std::byte{0xff} && content[1] == std::byte{0xd8} &&
         content[2] == std::byte{0xff};
}

Result<Image> decode_jpeg(std::span<const std::byte> content, std::string_view name) {
  Decoder decoder;
  set_up(decoder);
  Result<Image> result = decode_with(decoder, content, name);
  jpeg_destroy_decompress(&decoder.info);
  return result;
}

}  // namespace nestrt::tools
