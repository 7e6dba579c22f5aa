// SPDX-License-Identifier: Apache-2.0
#include "tools/support/image/preprocess.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>

namespace nestrt::tools {
namespace {

TensorInfo image_input(const Shape& shape) { return {"image", DataType::kF32, shape}; }

// Returns an image whose red counts up from 0 in reading order; green is red + 100 and blue is red + 200.
Image counting(int width, int height) {
  Image image{width, height, 3, {}};
  for (int i = 0; i < width * height; ++i) {
    for (const int base : {0, 100, 200}) image.pixels.push_back(static_cast<uint8_t>(base + i));
  }
  return image;
}

TEST_CASE("An image of the input's size is only normalised, by channel") {
  const Preprocessing preprocessing{{0, 100, 200}, {1, 2, 0.5f}, 0, false};
  const auto values = preprocess(counting(2, 2), preprocessing, image_input({1, 3, 2, 2}));
  REQUIRE(values);
  CHECK(*values == std::vector<float>{0, 1, 2, 3, 0, 2, 4, 6, 0, 0.5f, 1, 1.5f});
}

TEST_CASE("BGR inputs have blue first, with mean and scale in the order of the input") {
  const Preprocessing preprocessing{{200, 100, 0}, {1}, 0, true};
  const auto values = preprocess(counting(2, 1), preprocessing, image_input({1, 3, 1, 2}));
  REQUIRE(values);
  CHECK(*values == std::vector<float>{0, 1, 0, 1, 0, 1});
  const auto blue = preprocess(counting(2, 1), {{}, {}, 0, true}, image_input({1, 3, 1, 2}));
  REQUIRE(blue);
  CHECK(*blue == std::vector<float>{200, 201, 100, 101, 0, 1});
}

TEST_CASE("Channels-last inputs are filled pixel by pixel") {
  const auto values = preprocess(counting(2, 1), {}, image_input({1, 1, 2, 3}));
  REQUIRE(values);
  // A single channel in axis 1 means NCHW: luminance of a 3x2 image.
  CHECK(values->size() == 6);
  const auto last = preprocess(counting(2, 2), {}, image_input({1, 2, 2, 3}));
  REQUIRE(last);
  CHECK(std::vector<float>(last->begin(), last->begin() + 6) == std::vector<float>{0, 100, 200, 1, 101, 201});
}

TEST_CASE("Grey images fill three channels and colour images give luminance to one") {
  const auto three = preprocess(Image{1, 1, 1, {9}}, {}, image_input({1, 3, 1, 1}));
  REQUIRE(three);
  CHECK(*three == std::vector<float>{9, 9, 9});
  const auto one = preprocess(Image{1, 1, 3, {255, 0, 0}}, {}, image_input({1, 1, 1, 1}));
  REQUIRE(one);
  CHECK(*one == std::vector<float>{76});
}

TEST_CASE("The centre is cropped after resizing, and half pixels round to even") {
  // 5x4, whose shorter side is already 4: columns 1..3 for (5-3)/2 = 1, rows 0..2 for round(0.5) = 0.
  const auto values = preprocess(counting(5, 4), {{}, {}, 4, false}, image_input({1, 3, 3, 3}));
  REQUIRE(values);
  CHECK(std::vector<float>(values->begin(), values->begin() + 9) == std::vector<float>{1, 2, 3, 6, 7, 8, 11, 12, 13});
}

TEST_CASE("The longer side is resized in proportion and rounded down") {
  const auto portrait =
      preprocess(Image{2, 5, 1, std::vector<uint8_t>(10, 7)}, {{}, {}, 3, false}, image_input({1, 1, 7, 3}));
  REQUIRE(portrait);  // 3 * 5 / 2 = 7
  CHECK_FALSE(preprocess(Image{2, 5, 1, std::vector<uint8_t>(10, 7)}, {{}, {}, 3, false}, image_input({1, 1, 8, 3})));
}

TEST_CASE("A letterbox keeps the whole image and its proportions in the centre") {
  const Preprocessing letterbox{{}, {}, 0, false, true, 9};
  const TensorInfo input = image_input({1, 1, 4, 4});
  const auto wide = preprocess(Image{8, 4, 1, std::vector<uint8_t>(32, 5)}, letterbox, input);
  REQUIRE(wide);
  CHECK(*wide == std::vector<float>{9, 9, 9, 9, 5, 5, 5, 5, 5, 5, 5, 5, 9, 9, 9, 9});
  const auto tiny = preprocess(Image{1, 2, 1, {5, 5}}, letterbox, input);  // enlarged
  REQUIRE(tiny);
  CHECK(*tiny == std::vector<float>{9, 5, 5, 9, 9, 5, 5, 9, 9, 5, 5, 9, 9, 5, 5, 9});
  const auto line = preprocess(Image{100, 1, 1, std::vector<uint8_t>(100, 5)}, letterbox, input);
  REQUIRE(line);  // one row of pixels remains
  CHECK(std::count(line->begin(), line->end(), 5.0F) == 4);
}

TEST_CASE("Without antialiasing, shrinking interpolates between the nearest pixels") {
  Preprocessing plain;
  plain.antialias = false;
  const Image row{8, 1, 1, {0, 10, 30, 0, 0, 50, 91, 0}};
  const auto values = preprocess(row, plain, image_input({1, 1, 1, 2}));
  REQUIRE(values);
  CHECK(*values == std::vector<float>{20, 71});  // 70.5 rounds up
  const auto column = preprocess(Image{1, 8, 1, row.pixels}, plain, image_input({1, 1, 2, 1}));
  REQUIRE(column);
  CHECK(*column == *values);
  const auto larger = preprocess(Image{2, 1, 1, {0, 100}}, plain, image_input({1, 1, 1, 4}));
  REQUIRE(larger);
  CHECK(*larger == std::vector<float>{0, 25, 75, 100});
}

TEST_CASE("The position of an image in the input extends beyond it if the image is cropped") {
  const auto place = place_of_image(8, 4, {{}, {}, 0, false, true, 0}, image_input({1, 3, 4, 4}));
  REQUIRE(place);
  CHECK((place->left == 0 && place->top == 1 && place->width == 4 && place->height == 2));
  const auto cropped = place_of_image(8, 4, {{}, {}, 4, false}, image_input({1, 3, 4, 4}));
  REQUIRE(cropped);
  CHECK((cropped->left == -2 && cropped->top == 0 && cropped->width == 8 && cropped->height == 4));
}

TEST_CASE("Preprocessed values are stored as f32, or as u8 rounded and clamped") {
  const std::vector<float> values = {-3, 0.4f, 254.6f, 300};
  std::vector<std::byte> bytes(4);
  store_elements(values, DataType::kU8, bytes.data());
  CHECK(bytes == std::vector<std::byte>{std::byte{0}, std::byte{0}, std::byte{255}, std::byte{255}});
  std::vector<float> floats(4);
  store_elements(values, DataType::kF32, reinterpret_cast<std::byte*>(floats.data()));
  CHECK(floats == values);
  CHECK(preprocess(counting(2, 2), {}, {"image", DataType::kU8, Shape{1, 2, 2, 3}}));
}

TEST_CASE("Inputs and preprocessing that do not fit an image are rejected") {
  const Image image = counting(4, 4);
  for (const Shape& shape : {Shape{1, 640}, Shape{2, 3, 4, 4}, Shape{1, 5, 4, 4}, Shape{1, 3, 0, 4}, Shape{}}) {
    const auto result = preprocess(image, {}, image_input(shape));
    REQUIRE_FALSE(result);
    CHECK(result.error().message().find("--input image=") != std::string_view::npos);
  }
  CHECK_FALSE(preprocess(image, {}, {"image", DataType::kS64, Shape{1, 3, 4, 4}}));
  CHECK_FALSE(preprocess(image, {{1, 2}, {}, 0, false}, image_input({1, 3, 4, 4})));
  CHECK_FALSE(preprocess(image, {{}, {}, 3, false}, image_input({1, 3, 4, 4})));
  CHECK_FALSE(preprocess(image, {{}, {0}, 0, false}, image_input({1, 3, 4, 4})));
  CHECK_FALSE(preprocess(image, {{NAN}, {}, 0, false}, image_input({1, 3, 4, 4})));
  CHECK_FALSE(preprocess(image, {{}, {}, 4000000000u, false}, image_input({1, 3, 4, 4})));
}

}  // namespace
}  // namespace nestrt::tools
