// SPDX-License-Identifier: Apache-2.0
#include "runtime/image/resampling.h"

#include <catch2/catch.hpp>
#include <cstddef>
#include <cstdlib>
#include <vector>

namespace nestrt {
namespace {

constexpr int kOne = 1 << kResamplingBits;

TEST_CASE("Windows stay inside the input, and their weights add up to one") {
  for (const int in : {1, 2, 3, 7, 100}) {
    for (const int out : {1, 2, 5, 99, 300}) {
      const Resampling resampling = make_resampling({in, out, 0, out});
      for (int i = 0; i < out; ++i) {
        const auto at = static_cast<size_t>(i), taps = static_cast<size_t>(resampling.taps);
        REQUIRE((resampling.firsts[at] >= 0 && resampling.firsts[at] + resampling.taps <= in));
        int sum = 0;
        for (size_t k = 0; k < taps; ++k) sum += resampling.weights[at * taps + k];
        REQUIRE(std::abs(sum - kOne) <= resampling.taps);
      }
    }
  }
}

TEST_CASE("When shrinking, resampling averages all pixels and interpolation only the nearest ones") {
  CHECK(make_resampling({8, 2, 0, 2}).taps == 6);
  const Interpolation interpolation = make_interpolation({8, 2, 0, 2});
  CHECK(interpolation.firsts == std::vector<int32_t>{1, 5});  // the centres are 1.5 and 5.5
  CHECK(interpolation.weights == std::vector<int16_t>{1 << 14, 1 << 14});
}

TEST_CASE("Interpolation repeats the border and keeps an equal size") {
  const Interpolation grown = make_interpolation({2, 6, 0, 6});
  CHECK(grown.firsts == std::vector<int32_t>{0, 0, 0, 0, 1, 1});
  CHECK((grown.weights.front() == 0 && grown.weights.back() == 0));
  CHECK(make_interpolation({5, 5, 0, 5}).weights == std::vector<int16_t>(5, 0));
  for (int pixel = 0; pixel < 256; ++pixel) CHECK(interpolated_pixel(interpolate(pixel << 7, 1 << 7, 0)) == pixel);
  CHECK(interpolated_pixel(interpolate(255 << 7, 0, 1 << 14)) == 128);
}

TEST_CASE("A part of the output has the same weights as in the whole output") {
  const Resampling whole = make_resampling({100, 37, 0, 37}), part = make_resampling({100, 37, 10, 20});
  REQUIRE(part.taps == whole.taps);
  const auto taps = static_cast<size_t>(whole.taps);
  CHECK(part.firsts == std::vector<int32_t>(whole.firsts.begin() + 10, whole.firsts.begin() + 30));
  for (size_t i = 0; i < part.weights.size(); ++i) REQUIRE(part.weights[i] == whole.weights[10 * taps + i]);
}

}  // namespace
}  // namespace nestrt
