// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <catch2/catch.hpp>

#include "test/support/kernel/exact.h"

namespace nestrt::test {

TEST_CASE("Select broadcasts its three operands") {
  OperatorCase c{ops::Select()};
  c.input(tensor_bool({2, 1}, {1, 0}));
  c.input(tensor({3}, std::vector<float>{1, 2, 3}));
  c.input(tensor({2, 3}, std::vector<float>{10, 20, 30, 40, 50, 60}));
  c.output(DataType::kF32, {2, 3});
  REQUIRE(c.infer().has_value());
  CHECK((*c.infer())[0].shape == Shape{2, 3});
  CHECK(reference(c)[0].values<float>() == std::vector<float>{1, 2, 3, 40, 50, 60});
}

TEST_CASE("Select supports 8-byte elements and any true byte") {
  OperatorCase c{ops::Select()};
  c.input(tensor_bool({3}, {0, 1, 255}));
  c.input(tensor({3}, std::vector<int64_t>{1, 2, 3}));
  c.input(tensor(Shape(), std::vector<int64_t>{-9}));
  c.output(DataType::kS64, {3});
  CHECK(reference(c)[0].values<int64_t>() == std::vector<int64_t>{-9, 2, 3});
}

TEST_CASE("Vectorized select equals the reference for any broadcasting") {
  const std::vector<std::array<Shape, 3>> shapes = {{Shape{3, 41, 501}, Shape{3, 41, 501}, Shape{3, 41, 501}},
                                                    {Shape{3, 70}, Shape(), Shape{3, 70}},
                                                    {Shape{3, 70}, Shape{70}, Shape()},
                                                    {Shape{5, 1}, Shape{5, 90}, Shape{1, 90}},
                                                    {Shape{90}, Shape{5, 1}, Shape{5, 90}},
                                                    {Shape{300, 1}, Shape{3}, Shape{300, 3}},
                                                    {Shape{2, 1, 3, 1}, Shape{4, 1, 5}, Shape{1}},
                                                    {Shape(), Shape{2, 1}, Shape{1, 3}},
                                                    {Shape{0, 4}, Shape{4}, Shape{1}}};
  std::mt19937 generator(8);
  for (const auto& [condition, a, b] : shapes)
    for (DataType type : {DataType::kF32, DataType::kS8, DataType::kS64, DataType::kBool}) {
      TestTensor mask = random_bytes(generator, DataType::kBool, condition);
      for (size_t i = 0; i < mask.bytes.size(); i += 2) mask.bytes[i] = std::byte{0};
      OperatorCase c{ops::Select()};
      c.input(mask).input(random_bytes(generator, type, a)).input(random_bytes(generator, type, b));
      c.output(type, (*c.infer())[0].shape);
      INFO(name(type) << " " << condition.to_string() << " " << a.to_string() << " " << b.to_string());
      check_exact(c, reference(c)[0], "select.simd");
    }
}

TEST_CASE("Select rejects operands that do not fit") {
  OperatorCase types{ops::Select()};
  types.input(tensor_bool({1}, {1}))
      .input(tensor({1}, std::vector<float>{1}))
      .input(tensor({1}, std::vector<int64_t>{1}));
  CHECK(types.infer().error().message().find("the same type") != std::string_view::npos);
  OperatorCase condition{ops::Select()};
  for (int i = 0; i < 3; ++i) condition.input(tensor({1}, std::vector<float>{1}));
  CHECK(condition.infer().error().message().find("expected bool") != std::string_view::npos);
  OperatorCase shapes{ops::Select()};
  shapes.input(tensor_bool({2}, {1, 0}))
      .input(tensor({3}, std::vector<float>{1, 2, 3}))
      .input(tensor({1}, std::vector<float>{1}));
  CHECK(shapes.infer().error().message().find("broadcast") != std::string_view::npos);
}

}  // namespace nestrt::test
