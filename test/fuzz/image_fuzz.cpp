// SPDX-License-Identifier: Apache-2.0
// Decodes an image. If accepted, its pixels must match its dimensions, and it must be resizable.
#include "test/fuzz/fuzz_input.h"
#include "tools/support/image/image.h"

namespace nestrt::test {
namespace {

constexpr int64_t kMaxResized = 1 << 16;  // pixels; more only takes longer

void check(const tools::Image& image) {
  const int64_t pixels = int64_t{image.width} * image.height;
  expect(image.width > 0 && image.height > 0 && pixels <= tools::kMaxPixels, "an image of an impossible size");
  expect(image.channels == 1 || image.channels == 3, "an image with an impossible number of channels");
  expect(static_cast<int64_t>(image.pixels.size()) == pixels * image.channels, "an image without all of its pixels");
  if (pixels > kMaxResized) return;
  const tools::Image resized = tools::resize(tools::to_channels(image, 3), 7, 5);
  expect(resized.pixels.size() == 7 * 5 * 3, "a resized image without all of its pixels");
}

}  // namespace
}  // namespace nestrt::test

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto image = nestrt::tools::decode_image(std::as_bytes(std::span(data, size)), "input");
  if (image) nestrt::test::check(*image);
  return 0;
}
