// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "test/support/kernel/exact.h"

namespace nestrt::test {
namespace {

using ops::CoordinateMode;
using ops::NearestMode;
using ops::ResizeMode;

ops::Resize resize(ResizeMode mode, CoordinateMode coordinate, std::vector<float> scales, std::vector<int64_t> sizes) {
  ops::Resize table;
  table.mode = mode;
  table.coordinate = coordinate;
  table.scales = std::move(scales);
  table.sizes = std::move(sizes);
  return table;
}

TestTensor run_reference(const ops::Resize& table, const TestTensor& input) {
  OperatorCase c(table);
  c.input(input).output(input.type, Shape(table.sizes));
  const auto inferred = c.infer();
  if (!inferred) FAIL(inferred.error().to_string());
  CHECK(inferred->front().shape == Shape(table.sizes));
  return reference(c)[0];
}

void check_near(const TestTensor& actual, const std::vector<float>& expected) {
  CHECK(relative_error(actual, tensor(actual.shape, expected)) < 1e-5);
}

// Most of the expected values below are from the ONNX operator tests.

TEST_CASE("Resize repeats the nearest element") {
  const auto table = resize(ResizeMode::kNearest, CoordinateMode::kHalfPixel, {1, 1, 2, 3}, {1, 1, 4, 6});
  const std::vector<float> expected{1, 1, 1, 2, 2, 2, 1, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 4, 3, 3, 3, 4, 4, 4};
  CHECK(run_reference(table, counting({1, 1, 2, 2})).values<float>() == expected);
}

TEST_CASE("Resize supports integers in the nearest mode") {
  const auto table = resize(ResizeMode::kNearest, CoordinateMode::kHalfPixel, {2}, {4});
  CHECK(run_reference(table, tensor({2}, std::vector<int64_t>{-5, 1ll << 60})).values<int64_t>() ==
        std::vector<int64_t>{-5, -5, 1ll << 60, 1ll << 60});
}

TEST_CASE("Resizing one axis after the other agrees with the reference") {
  struct Case {
    Shape shape;
    std::vector<int64_t> sizes;
  };
  std::mt19937 generator(46);
  for (const auto& [shape, sizes] : {Case{{7}, {19}},
                                     {{3, 9}, {3, 4}},
                                     {{1, 4, 5, 6}, {1, 4, 11, 6}},
                                     {{2, 5, 6, 40}, {2, 10, 3, 40}},
                                     {{2, 3, 5, 6, 7}, {2, 3, 9, 12, 3}},
                                     {{1, 3, 70, 60}, {1, 3, 140, 120}},
                                     {{4, 1, 3}, {9, 2, 5}}})
    for (ResizeMode mode : {ResizeMode::kLinear, ResizeMode::kCubic})
      for (CoordinateMode coordinate : {CoordinateMode::kHalfPixel, CoordinateMode::kAlignCorners}) {
        const ops::Resize table = resize(mode, coordinate, {}, sizes);
        OperatorCase c(table);
        c.input(random_tensor(generator, shape)).output(DataType::kF32, Shape(sizes));
        const TestTensor expected = reference(c)[0];
        INFO(shape.to_string() << " " << ops::name(mode));
        int runs = 0;
        for_each_fast_kernel(c, [&](const std::string& what, const std::vector<TestTensor>& outputs) {
          INFO(what);
          CHECK(relative_error(outputs[0], expected) < 2e-6);  // a rounding per axis and tap
          ++runs;
        });
        CHECK(runs > 0);
      }
}

TEST_CASE("Resizing one axis after the other is bit-identical for any number of threads") {
  std::mt19937 generator(48);
  OperatorCase c(resize(ResizeMode::kCubic, CoordinateMode::kHalfPixel, {}, {3, 5, 111, 203}));
  c.input(random_tensor(generator, {3, 5, 47, 91})).output(DataType::kF32, {3, 5, 111, 203});
  for (int threads : {2, 3, 5})
    CHECK(same_elements(c.run("resize.f32.separable", threads), c.run("resize.f32.separable", 1)));
}

TEST_CASE("Resize rounds halves as specified") {
  const auto pick = [](NearestMode mode) {
    auto table = resize(ResizeMode::kNearest, CoordinateMode::kAsymmetric, {2}, {6});
    table.nearest = mode;
    return run_reference(table, counting({3})).values<float>();
  };
  CHECK(pick(NearestMode::kFloor) == std::vector<float>{1, 1, 2, 2, 3, 3});
  CHECK(pick(NearestMode::kRoundPreferFloor) == std::vector<float>{1, 1, 2, 2, 3, 3});
  CHECK(pick(NearestMode::kCeil) == std::vector<float>{1, 2, 2, 3, 3, 3});
  CHECK(pick(NearestMode::kRoundPreferCeil) == std::vector<float>{1, 2, 2, 3, 3, 3});
}

TEST_CASE("tf_half_pixel_for_nn keeps axes that are not resized, in every mode") {
  const struct {
    ResizeMode mode;
    NearestMode nearest;
    std::vector<float> expected;
  } kCases[] = {
      {ResizeMode::kNearest, NearestMode::kCeil, {4, 5, 6, 4, 5, 6, 4, 5, 6, 4, 5, 6}},
      {ResizeMode::kNearest, NearestMode::kFloor, {1, 2, 3, 1, 2, 3, 4, 5, 6, 4, 5, 6}},
      {ResizeMode::kNearest, NearestMode::kRoundPreferCeil, {1, 2, 3, 4, 5, 6, 4, 5, 6, 4, 5, 6}},
      {ResizeMode::kNearest, NearestMode::kRoundPreferFloor, {1, 2, 3, 4, 5, 6, 4, 5, 6, 4, 5, 6}},
      {ResizeMode::kLinear, NearestMode::kFloor, {1.75f, 2.75f, 3.75f, 3.25f, 4.25f, 5.25f, 4, 5, 6, 4, 5, 6}},
  };
  for (const auto& [mode, nearest, expected] : kCases) {
    ops::Resize table = resize(mode, CoordinateMode::kTfHalfPixelForNn, {1, 1, 2, 1}, {1, 1, 4, 3});
    table.nearest = nearest;
    check_near(run_reference(table, counting({1, 1, 2, 3})), expected);
  }
}

TEST_CASE("Resize interpolates linearly between pixel centres") {
  const auto table = resize(ResizeMode::kLinear, CoordinateMode::kHalfPixel, {1, 1, 2, 2}, {1, 1, 4, 4});
  check_near(run_reference(table, counting({1, 1, 2, 2})),
             {1, 1.25, 1.75, 2, 1.5, 1.75, 2.25, 2.5, 2.5, 2.75, 3.25, 3.5, 3, 3.25, 3.75, 4});
}

TEST_CASE("Resize keeps the corners when they are aligned") {
  const auto table = resize(ResizeMode::kLinear, CoordinateMode::kAlignCorners, {1, 1, 2, 2}, {1, 1, 4, 4});
  check_near(run_reference(table, counting({1, 1, 2, 2})), {1, 4.f / 3, 5.f / 3, 2, 5.f / 3, 2, 7.f / 3, 8.f / 3,
                                                            7.f / 3, 8.f / 3, 3, 10.f / 3, 3, 10.f / 3, 11.f / 3, 4});
}

// The values are from ONNX Runtime. ONNX specifies other values for fractional output lengths, which import rejects.
TEST_CASE("Resize by a fraction aligns the corners of the whole output") {
  const auto cubic = resize(ResizeMode::kCubic, CoordinateMode::kAlignCorners, {1, 1, 0.8f, 0.8f}, {1, 1, 3, 3});
  check_near(run_reference(cubic, counting({1, 1, 4, 4})), {1, 2.5f, 4, 7, 8.5f, 10, 13, 14.5f, 16});
  const auto linear = resize(ResizeMode::kLinear, CoordinateMode::kAlignCorners, {1, 1, 0.6f, 0.6f}, {1, 1, 1, 2});
  check_near(run_reference(linear, counting({1, 1, 2, 4})), {1, 4});
}

TEST_CASE("Resize interpolates with cubic weights") {
  const auto table = resize(ResizeMode::kCubic, CoordinateMode::kHalfPixel, {1, 1, 0.8f, 0.8f}, {1, 1, 3, 3});
  check_near(run_reference(table, counting({1, 1, 4, 4})),
             {1.47119141f, 2.78125f, 4.08251953f, 6.71142578f, 8.02148438f, 9.32275391f, 11.91650391f, 13.2265625f,
              14.52783203f});
}

TEST_CASE("Resize redistributes the weight of excluded elements") {
  auto table = resize(ResizeMode::kCubic, CoordinateMode::kHalfPixel, {1, 1, 0.8f, 0.8f}, {1, 1, 3, 3});
  table.cubic_coefficient = -0.5f;
  table.exclude_outside = true;
  check_near(run_reference(table, counting({1, 1, 4, 4})), {1.36812675f, 2.6695014f, 4.0133367f, 6.57362535f, 7.875f,
                                                            9.2188353f, 11.94896657f, 13.25034122f, 14.59417652f});
}

TEST_CASE("Resize extrapolates outside the crop") {
  auto table = resize(ResizeMode::kLinear, CoordinateMode::kTfCropAndResize, {}, {3});
  table.roi = {0, 2};
  table.extrapolation_value = 9;
  check_near(run_reference(table, counting({3})), {1, 3, 9});
}

TEST_CASE("Resize of an empty tensor is empty") {
  const auto table = resize(ResizeMode::kLinear, CoordinateMode::kHalfPixel, {}, {0, 1000});
  CHECK(run_reference(table, tensor({0, 3}, std::vector<float>{})).bytes.empty());
}

// Compares every fast kernel in `layout` with the plain reference. Fails if `kernel` is not among them.
void check_fast(const ops::Resize& table, const TestTensor& input, Layout layout, const std::string& kernel) {
  OperatorCase fast(table);
  fast.input(with_layout(input, layout)).output(input.type, Shape(table.sizes), layout);
  const TestTensor expected = run_reference(table, input);
  bool found = false;
  for_each_fast_kernel(fast, [&](const std::string& what, const std::vector<TestTensor>& outputs) {
    INFO(what << " " << input.shape.to_string() << " to " << expected.shape.to_string());
    found = found || what.starts_with(kernel);
    if (table.mode == ResizeMode::kNearest) CHECK(outputs[0].bytes == expected.bytes);
    if (table.mode != ResizeMode::kNearest) CHECK(relative_error(outputs[0], expected) < 1e-6);
  });
  CHECK(found);
}

TEST_CASE("Resize selects the same nearest pixels in every layout") {
  std::mt19937 generator(1);
  for (Layout layout : {Layout::kPlain, Layout::kBlocked16, Layout::kBlocked32})
    for (CoordinateMode mode :
         {CoordinateMode::kHalfPixel, CoordinateMode::kAsymmetric, CoordinateMode::kAlignCorners}) {
      for (DataType type : {DataType::kF32, DataType::kS8, DataType::kS64}) {
        check_fast(resize(ResizeMode::kNearest, mode, {}, {2, 21, 10, 14}),
                   random_bytes(generator, type, {2, 21, 5, 7}), layout, "resize.nearest");
      }
      check_fast(resize(ResizeMode::kNearest, mode, {1, 1, 1, 0.6f}, {1, 3, 5, 4}),
                 random_bytes(generator, DataType::kF32, {1, 3, 5, 7}), layout, "resize.nearest");
      check_fast(resize(ResizeMode::kNearest, mode, {1, 1, 2.5f, 1}, {1, 33, 12, 40}),
                 random_bytes(generator, DataType::kF32, {1, 33, 5, 40}), layout, "resize.nearest");
    }
  check_fast(resize(ResizeMode::kNearest, CoordinateMode::kHalfPixel, {}, {4, 6}),
             random_bytes(generator, DataType::kF32, {2, 9}), Layout::kPlain, "resize.nearest");
}

TEST_CASE("Resize interpolates images in plain and blocked layouts") {
  std::mt19937 generator(2);
  for (Layout layout : {Layout::kPlain, Layout::kBlocked16})
    for (CoordinateMode mode : {CoordinateMode::kHalfPixel, CoordinateMode::kAsymmetric, CoordinateMode::kAlignCorners,
                                CoordinateMode::kPytorchHalfPixel})
      for (const std::vector<int64_t>& sizes : {std::vector<int64_t>{2, 19, 14, 21}, {2, 19, 3, 1}, {2, 19, 50, 80}})
        check_fast(resize(ResizeMode::kLinear, mode, {}, sizes), random_tensor(generator, {2, 19, 5, 7}), layout,
                   "resize.f32.linear2d");
}

TEST_CASE("Errors of Resize name the invalid attribute") {
  const auto infer_error = [](const ops::Resize& table, const TestTensor& input = counting({2, 2})) {
    OperatorCase c(table);
    c.input(input);
    return std::string(c.infer().error().message());
  };
  const auto linear = [](std::vector<float> scales, std::vector<int64_t> sizes) {
    return resize(ResizeMode::kLinear, CoordinateMode::kHalfPixel, std::move(scales), std::move(sizes));
  };
  CHECK_THAT(infer_error(linear({2}, {4, 4})), Catch::Contains("scales has 1 entries"));
  CHECK_THAT(infer_error(linear({2, 0}, {4, 4})), Catch::Contains("scales has the entry 0"));
  CHECK_THAT(infer_error(linear({}, {4})), Catch::Contains("sizes has 1 entries"));
  CHECK_THAT(infer_error(linear({}, {4, -4})), Catch::Contains("sizes has the negative"));
  CHECK_THAT(infer_error(linear({}, {1, 1 << 25})), Catch::Contains("sizes") && Catch::Contains("2^24"));
  CHECK_THAT(infer_error(linear({}, {1, 1}), tensor({1, 0}, std::vector<float>{})), Catch::Contains("sizes"));
  CHECK_THAT(infer_error(linear({}, {4, 4}), tensor({2, 2}, std::vector<int32_t>(4))), Catch::Contains("s32"));
  auto crop = resize(ResizeMode::kNearest, CoordinateMode::kTfCropAndResize, {}, {4, 4});
  CHECK_THAT(infer_error(crop), Catch::Contains("roi has 0 entries"));
  crop.roi = {0, 0, std::numeric_limits<float>::infinity(), 1};
  CHECK_THAT(infer_error(crop), Catch::Contains("roi"));
}

}  // namespace
}  // namespace nestrt::test
