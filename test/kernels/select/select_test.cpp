// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "test/support/kernel/kernel_runner.h"

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

TEST_CASE("Select rejects operands that do not fit") {
  OperatorCase types{ops::Select()};
  types.input(tensor_bool({1}, {1}))
      .input(tensor({1}, std::vector<float>{1}))
      .input(tensor({1}, std::vector<int64_t>{1}));
  CHECK(types.infer().error().message().find("one type") != std::string_view::npos);
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
