// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include <limits>

#include "test/support/kernel/exact.h"

namespace nestrt::test {
namespace {

OperatorCase grid_case(ops::GridSample op, const TestTensor& x, const TestTensor& grid, const Shape& output) {
  OperatorCase c(op);
  c.input(x).input(grid).output(DataType::kF32, output);
  return c;
}

// Samples points of a line with the four elements 1, 2, 3, 4.
std::vector<float> along_line(ops::GridSample op, const std::vector<float>& points) {
  const auto count = static_cast<int64_t>(points.size());
  return reference(grid_case(op, counting({1, 1, 4}), tensor({1, count, 1}, points), {1, 1, count}))[0].values<float>();
}

using ops::PaddingKind;
using ops::ResizeMode;

TEST_CASE("GridSample maps points from -1 to 1 to centres or to edges") {
  CHECK(along_line({.align_corners = true}, {-1, 1, 0, -1.0f / 3}) == std::vector<float>{1, 4, 2.5f, 2});
  CHECK(along_line({}, {-0.75f, 0.75f, 0}) == std::vector<float>{1, 4, 2.5f});
  CHECK(along_line({.mode = ResizeMode::kNearest}, {-0.75f, 0.3f, 0.6f}) == std::vector<float>{1, 3, 4});
}

TEST_CASE("GridSample pads with zeros, with the border or with reflections") {
  CHECK(along_line({}, {-1, 1, 9}) == std::vector<float>{0.5f, 2, 0});
  CHECK(along_line({.padding = PaddingKind::kBorder}, {-1, 1, 9}) == std::vector<float>{1, 4, 4});
  const std::vector<float> y =
      along_line({.padding = PaddingKind::kReflection, .align_corners = true}, {-5.0f / 3, 5.0f / 3});
  CHECK(y[0] == Approx(2));
  CHECK(y[1] == Approx(3));
}

TEST_CASE("GridSample with cubic interpolation reproduces a straight line") {
  const std::vector<float> y = along_line({.mode = ResizeMode::kCubic, .align_corners = true}, {0, -1.0f / 3});
  CHECK(y[0] == Approx(2.5f));
  CHECK(y[1] == Approx(2.0f));
}

TEST_CASE("GridSample reads the coordinate of the last axis first in every channel and sample") {
  const TestTensor grid = tensor({2, 1, 1, 2}, std::vector<float>{1, -1, -1, 1});  // top right, bottom left
  CHECK(reference(grid_case({.align_corners = true}, counting({2, 2, 2, 2}), grid, {2, 2, 1, 1}))[0].values<float>() ==
        std::vector<float>{2, 6, 11, 15});
}

TEST_CASE("GridSample of NaN points reads only inside the input") {
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN(), kInf = std::numeric_limits<float>::infinity();
  for (const ResizeMode mode : {ResizeMode::kNearest, ResizeMode::kLinear, ResizeMode::kCubic}) {
    CHECK(along_line({.mode = mode}, {kNan, kInf, -kInf, 1e30f}) == std::vector<float>(4, 0));
    for (const PaddingKind padding : {PaddingKind::kBorder, PaddingKind::kReflection})
      for (const float y : along_line({.mode = mode, .padding = padding}, {kNan, kInf, -kInf, 1e30f})) {
        CHECK(y > 0.5f);
        CHECK(y < 4.5f);
      }
  }
}

TEST_CASE("GridSample by points agrees with the reference in every mode") {
  std::mt19937 generator(47);
  const std::pair<Shape, Shape> shapes[] = {
      {{2, 3, 9}, {2, 21, 1}}, {{2, 3, 5, 7}, {2, 6, 9, 2}}, {{1, 2, 3, 4, 5}, {1, 2, 3, 7, 3}}};
  for (const auto& [shape, grid] : shapes)
    for (ResizeMode mode : {ResizeMode::kNearest, ResizeMode::kLinear, ResizeMode::kCubic})
      for (PaddingKind padding : {PaddingKind::kZeros, PaddingKind::kBorder, PaddingKind::kReflection})
        for (bool align : {false, true}) {
          if (mode == ResizeMode::kCubic && shape.rank() == 5) continue;
          std::vector<float> x = random_tensor(generator, shape).values<float>();
          x[x.size() / 2] = std::numeric_limits<float>::quiet_NaN();
          std::vector<int64_t> dims = {shape[0], shape[1]};
          dims.insert(dims.end(), grid.begin() + 1, grid.end() - 1);
          const OperatorCase c = grid_case({.mode = mode, .padding = padding, .align_corners = align}, tensor(shape, x),
                                           random_tensor(generator, grid, -1.5, 1.5), Shape(dims));
          const TestTensor expected = reference(c)[0];
          for_each_fast_kernel(c, [&, &shape = shape](const std::string& what, const std::vector<TestTensor>& outputs) {
            INFO(what << " " << shape.to_string() << " " << ops::name(mode));
            CHECK(relative_error(outputs[0], expected) < 2e-6);  // products of weights are rounded
          });
        }
}

TEST_CASE("GridSample reports the operand that does not fit") {
  const auto of = [](const Shape& x, const Shape& grid) {
    OperatorCase c(ops::GridSample{});
    c.input(shape_only(x)).input(shape_only(grid));
    return infer_error(c);
  };
  CHECK_THAT(of({1, 1, 4}, {1, 3, 2}), Catch::Contains("does not fit an input"));
  CHECK_THAT(of({2, 1, 4}, {1, 3, 1}), Catch::Contains("does not fit an input"));
  CHECK_THAT(of({1, 1, 0}, {1, 3, 1}), Catch::Contains("no elements"));
}

}  // namespace
}  // namespace nestrt::test
