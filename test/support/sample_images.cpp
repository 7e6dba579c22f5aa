// SPDX-License-Identifier: Apache-2.0
#include "test/support/sample_images.h"

#include <initializer_list>
#include <string>

#include "runtime/text/hexadecimal.h"

namespace nestrt::test {

std::vector<std::byte> from_hex(std::string_view hex) {
  std::vector<std::byte> bytes(hex.size() / 2);
  from_hexadecimal(hex, {reinterpret_cast<uint8_t*>(bytes.data()), bytes.size()});
  return bytes;
}

namespace {

std::vector<std::byte> with_inserted(std::string_view hex, size_t at, std::initializer_list<std::string> pieces) {
  std::vector<std::byte> file = from_hex(hex);
  std::string more;
  for (const std::string& piece : pieces) more += piece;
  const auto bytes = std::as_bytes(std::span(more));
  file.insert(file.begin() + static_cast<ptrdiff_t>(at), bytes.begin(), bytes.end());
  return file;
}

std::string text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// Returns two bytes, most significant first.
std::string big_endian(size_t number) {
  return {static_cast<char>(number >> 8 & 0xff), static_cast<char>(number & 0xff)};
}

}  // namespace

std::vector<std::byte> jpeg_with_exif(std::string_view hex, std::span<const std::byte> exif) {
  constexpr size_t kStart = 2, kLengthAndName = 8;
  return with_inserted(
      hex, kStart, {"\xff\xe1", big_endian(kLengthAndName + exif.size()), std::string("Exif\0\0", 6), text_of(exif)});
}

std::vector<std::byte> png_with_exif(std::string_view hex, std::span<const std::byte> exif) {
  constexpr size_t kEndChunk = 12;
  const std::string zero(2, '\0'), checksum(4, '\0');  // not checked by readers
  return with_inserted(hex, hex.size() / 2 - kEndChunk,
                       {zero, big_endian(exif.size()), "eXIf", text_of(exif), checksum});
}

}  // namespace nestrt::test
