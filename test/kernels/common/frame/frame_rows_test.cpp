// SPDX-License-Identifier: Apache-2.0
#include "kernels/common/frame/frame_rows.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <random>
#include <vector>

#include "kernels/common/frame/yuv.h"
#include "kernels/common/simd/simd.h"
#include "runtime/image/resampling.h"

namespace nestrt::kernels {
namespace {

constexpr int64_t kCounts[] = {1, 2, 3, 4, 5, 7, 8, 15, 16, 17, 31, 33, 64, 65, 100};
constexpr PixelFormat kFormats[] = {PixelFormat::kRgb,       PixelFormat::kBgr,  PixelFormat::kRgba,
                                    PixelFormat::kBgra,      PixelFormat::kGrey, PixelFormat::kRgbPlanes,
                                    PixelFormat::kBgrPlanes, PixelFormat::kNv12, PixelFormat::kYuyv};

std::vector<uint8_t> random_bytes(size_t count, uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<uint8_t> bytes(count);
  for (uint8_t& byte : bytes) byte = random() % 4 == 0 ? (random() % 2 == 0 ? 0 : 255) : static_cast<uint8_t>(random());
  return bytes;
}

// Returns the red, green and blue bytes of pixels, without the unused fourth byte.
std::vector<uint8_t> colours(const std::vector<uint8_t>& pixels) {
  std::vector<uint8_t> result;
  for (size_t i = 0; i < pixels.size(); ++i)
    if (i % 4 != 3) result.push_back(pixels[i]);
  return result;
}

// Calls check() with the functions of every instruction set of this machine.
template <typename Check>
void for_every_instruction_set(const Check& check) {
  const InstructionSet best = current_instruction_set();
  for (const InstructionSet set : supported_instruction_sets()) {
    REQUIRE(force_instruction_set(set));
    INFO("instruction set " << name(set));
    check(frame_rows());
  }
  force_instruction_set(best);
}

TEST_CASE("Unpacked pixels equal the reference for every format, position and number of pixels") {
  for_every_instruction_set([](const FrameRows& rows) {
    for (const PixelFormat format : kFormats) {
      for (const int64_t count : kCounts) {
        for (const int64_t first : {0, 1, 2, 5}) {
          // Allocates exactly the bytes of the row, so that a sanitizer detects reads beyond it.
          const auto width = static_cast<size_t>(first + count), even = (width + 1) / 2 * 2;
          const bool has_planes = format >= PixelFormat::kGrey && format <= PixelFormat::kNv12;
          const size_t step = format == PixelFormat::kRgb || format == PixelFormat::kBgr ? 3 : has_planes ? 1 : 4;
          const auto plane = random_bytes(format == PixelFormat::kYuyv ? 2 * even : step * width, 1);
          const auto second = random_bytes(format == PixelFormat::kNv12 ? even : width, 2);
          const auto third = random_bytes(width, 3);
          const FrameRow row{format, {plane.data(), second.data(), third.data()}};
          std::vector<uint8_t> expected(static_cast<size_t>(count) * 4), actual(expected);
          reference_frame_rows().unpack(row, first, count, expected.data());
          rows.unpack(row, first, count, actual.data());
          INFO("format " << static_cast<int>(format) << ", " << count << " pixels from " << first);
          REQUIRE(colours(actual) == colours(expected));
        }
      }
    }
  });
}

TEST_CASE("YUV conversion differs from exact arithmetic by at most one") {
  int largest = 0;
  for (int y = 0; y < 256; ++y) {
    for (int u = 0; u < 256; u += 3) {
      for (int v = 0; v < 256; v += 3) {
        const double luma = (y - 16) * 255.0 / 219, du = (u - 128) * 255.0 / 224, dv = (v - 128) * 255.0 / 224;
        const auto difference = [](double exact, int actual) {
          return std::abs(static_cast<int>(std::lround(std::clamp(exact, 0.0, 255.0))) - actual);
        };
        const yuv::Pixel pixel = yuv::to_rgb(y, u, v);
        largest = std::max({largest, difference(luma + 1.402 * dv, pixel.red),
                            difference(luma - 0.344136 * du - 0.714136 * dv, pixel.green),
                            difference(luma + 1.772 * du, pixel.blue)});
      }
    }
  }
  CHECK(largest <= 1);
  const yuv::Pixel black = yuv::to_rgb(16, 128, 128), white = yuv::to_rgb(235, 128, 128);
  CHECK((black.red == 0 && black.green == 0 && black.blue == 0));
  CHECK((white.red == 255 && white.green == 255 && white.blue == 255));
}

TEST_CASE("Luminance equals the reference") {
  for_every_instruction_set([](const FrameRows& rows) {
    for (const int64_t count : kCounts) {
      std::vector<uint8_t> expected = random_bytes(static_cast<size_t>(count) * 4, 4), actual = expected;
      reference_frame_rows().to_luminance(expected.data(), count);
      rows.to_luminance(actual.data(), count);
      REQUIRE(colours(actual) == colours(expected));
    }
  });
}

TEST_CASE("Rows resampled along x equal the reference") {
  for_every_instruction_set([](const FrameRows& rows) {
    for (const auto& [in, out] : {std::pair{1, 5}, {2, 1}, {9, 4}, {100, 37}, {37, 100}, {640, 7}}) {
      const Resampling resampling = make_resampling({in, out, 0, out});
      const int taps = (resampling.taps + kTapStep - 1) / kTapStep * kTapStep;
      std::vector<int32_t> weights(static_cast<size_t>(out * taps * 4));
      for (int i = 0; i < out * taps * 4; ++i) {
        const int tap = i / 4 % taps;
        if (tap < resampling.taps)
          weights[static_cast<size_t>(i)] =
              resampling.weights[static_cast<size_t>(i / 4 / taps * resampling.taps + tap)];
      }
      const auto pixels = random_bytes(static_cast<size_t>(in) * 4 + kRowSlack, 5);
      std::vector<uint8_t> expected(static_cast<size_t>(out) * 4), actual(expected);
      reference_frame_rows().resample(pixels.data(), resampling.firsts.data(), weights.data(), taps, out,
                                      expected.data());
      rows.resample(pixels.data(), resampling.firsts.data(), weights.data(), taps, out, actual.data());
      INFO(in << " to " << out);
      REQUIRE(colours(actual) == colours(expected));
    }
  });
}

TEST_CASE("Blended rows equal the reference") {
  for_every_instruction_set([](const FrameRows& rows) {
    for (const int64_t count : kCounts) {
      for (const int taps : {1, 2, 3, 6}) {
        const Resampling resampling = make_resampling({taps, 1, 0, 1});
        std::vector<std::vector<uint8_t>> bytes;
        std::vector<const uint8_t*> pointers;
        for (int k = 0; k < resampling.taps; ++k)
          bytes.push_back(random_bytes(static_cast<size_t>(count) * 4, static_cast<uint32_t>(k)));
        for (const auto& row : bytes) pointers.push_back(row.data());
        std::vector<uint8_t> expected(static_cast<size_t>(count) * 4), actual(expected);
        const int32_t* const weights = resampling.weights.data();
        reference_frame_rows().blend(pointers.data(), weights, resampling.taps, count, expected.data());
        rows.blend(pointers.data(), weights, resampling.taps, count, actual.data());
        REQUIRE(actual == expected);
      }
    }
  });
}

TEST_CASE("Rows interpolated along x and y equal the reference") {
  for_every_instruction_set([](const FrameRows& rows) {
    for (const auto& [in, out] : {std::pair{1, 5}, {2, 1}, {9, 4}, {100, 37}, {37, 100}, {640, 7}}) {
      const Interpolation interpolation = make_interpolation({in, out, 0, out});
      std::vector<int16_t> weights;
      for (const int16_t weight : interpolation.weights) weights.insert(weights.end(), 4, weight);
      const auto pixels = random_bytes(static_cast<size_t>(in) * 4 + kRowSlack, 7);
      std::vector<int16_t> expected(static_cast<size_t>(out) * 4), actual(expected);
      reference_frame_rows().interpolate_columns(pixels.data(), interpolation.firsts.data(), weights.data(), out,
                                                 expected.data());
      rows.interpolate_columns(pixels.data(), interpolation.firsts.data(), weights.data(), out, actual.data());
      INFO(in << " to " << out);
      REQUIRE(actual == expected);
      std::vector<int16_t> second(expected.rbegin(), expected.rend());
      for (const int16_t weight : {0, 1, 16384, 32767}) {
        std::vector<uint8_t> rounded(expected.size()), fast(rounded);
        reference_frame_rows().interpolate_rows(expected.data(), second.data(), weight, out, rounded.data());
        rows.interpolate_rows(expected.data(), second.data(), weight, out, fast.data());
        REQUIRE(fast == rounded);
      }
    }
  });
}

TEST_CASE("Stored elements of every type and order equal the reference bit for bit") {
  for_every_instruction_set([](const FrameRows& rows) {
    for (const DataType type : {DataType::kF32, DataType::kU8, DataType::kS8}) {
      for (const int order : {0, 1, 2, 3, 4, 5, 6, 7}) {
        const ElementFormat format{type,
                                   (order & 1) != 0 ? 1 : 3,
                                   (order & 2) != 0,
                                   (order & 4) != 0,
                                   {123.675f, 0, -3e38f},
                                   {0.0171f, 1.5f, 3e38f}};
        for (const int64_t count : kCounts) {
          const auto pixels = random_bytes(static_cast<size_t>(count) * 4 + kRowSlack, 6);
          const size_t bytes = static_cast<size_t>(count) * 3 * size_bytes(type);
          const auto stored = [&](const FrameRows& by) {
            std::vector<uint8_t> elements(bytes, 77);
            const size_t plane = static_cast<size_t>(count) * size_bytes(type);
            void* const to[] = {elements.data(), elements.data() + plane, elements.data() + 2 * plane};
            by.store(format, pixels.data(), count, to);
            return elements;
          };
          INFO(name(type) << ", order " << order << ", " << count << " pixels");
          REQUIRE(stored(rows) == stored(reference_frame_rows()));
        }
      }
    }
  });
}

}  // namespace
}  // namespace nestrt::kernels
