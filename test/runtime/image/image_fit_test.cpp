// SPDX-License-Identifier: Apache-2.0
#include "runtime/image/image_fit.h"

#include <catch2/catch.hpp>

namespace nestrt {
namespace {

TEST_CASE("An image fits an input by stretching, by a centre crop or in a letterbox") {
  const auto stretched = fit_image({640, 480}, {}, {224, 224});
  REQUIRE(stretched);
  CHECK((stretched->size.width == 224 && stretched->size.height == 224 && stretched->left == 0 && stretched->top == 0));
  const auto cropped = fit_image({640, 480}, {.mean = {}, .scale = {}, .resize = 256}, {224, 224});
  REQUIRE(cropped);
  CHECK((cropped->size.width == 341 && cropped->size.height == 256));
  CHECK((cropped->left == -58 && cropped->top == -16));  // 58.5 rounds to even
  Preprocessing letterbox;
  letterbox.letterbox = true;
  const auto boxed = fit_image({640, 480}, letterbox, {640, 640});
  REQUIRE(boxed);
  CHECK((boxed->size.width == 640 && boxed->size.height == 480 && boxed->left == 0 && boxed->top == 80));
}

TEST_CASE("Images that do not cover the input, and enormous ones, are rejected") {
  CHECK_FALSE(fit_image({640, 480}, {.mean = {}, .scale = {}, .resize = 200}, {224, 224}));
  CHECK_FALSE(fit_image({640, 480}, {.mean = {}, .scale = {}, .resize = 4000000000u}, {224, 224}));
}

TEST_CASE("Values are expanded to one per channel, and other numbers of values are rejected") {
  CHECK(*values_by_channel({}, 3, 1, "the scale") == std::vector<float>{1, 1, 1});
  CHECK(*values_by_channel({2}, 3, 1, "the scale") == std::vector<float>{2, 2, 2});
  CHECK(*values_by_channel({1, 2, 3}, 3, 1, "the scale") == std::vector<float>{1, 2, 3});
  CHECK(values_by_channel({1, 2}, 3, 1, "the scale").error().message() ==
        "the preprocessing has 2 values for the scale but the input has 3 channels; compile the plan with one value "
        "per channel");
}

}  // namespace
}  // namespace nestrt
