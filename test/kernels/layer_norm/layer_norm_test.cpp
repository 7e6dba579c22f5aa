// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <cmath>

#include "test/support/kernel/kernel_runner.h"

namespace nestrt::test {
namespace {

OperatorCase norm_case(const TestTensor& x, const TestTensor& scale, const TestTensor& bias, int axis) {
  ops::LayerNorm table;
  table.axis = axis;
  table.epsilon = 1e-5f;
  OperatorCase c(table);
  c.input(x).input(scale).input(bias).output(DataType::kF32, x.shape);
  return c;
}

}  // namespace

TEST_CASE("LayerNorm normalizes over its trailing axes") {
  const TestTensor x = tensor({2, 2}, std::vector<float>{1, 3, 10, 30});
  const TestTensor scale = tensor({2}, std::vector<float>{1, 2}), bias = tensor({2}, std::vector<float>{0, 1});
  const TestTensor expected = tensor({2, 2}, std::vector<float>{-1, 3, -1, 3});
  CHECK(relative_error(reference(norm_case(x, scale, bias, 1))[0], expected) < 2e-5);
  CHECK(relative_error(reference(norm_case(x, scale, bias, -1))[0], expected) < 2e-5);
}

TEST_CASE("LayerNorm works without a bias and over all axes") {
  const TestTensor x = tensor({2, 2}, std::vector<float>{1, 1, 3, 3});
  const TestTensor ones = tensor({2, 2}, std::vector<float>{1, 1, 1, 1});
  const TestTensor expected = tensor({2, 2}, std::vector<float>{-1, -1, 1, 1});
  CHECK(relative_error(reference(norm_case(x, ones, absent(), 0))[0], expected) < 2e-5);
}

TEST_CASE("LayerNorm rejects parameters that do not fit") {
  const TestTensor x = tensor({2, 2}, std::vector<float>(4)), two = tensor({2}, std::vector<float>(2));
  const TestTensor one = tensor({1}, std::vector<float>(1));
  CHECK(norm_case(x, one, two, 1).infer().error().message().find("scale") != std::string_view::npos);
  CHECK(norm_case(x, two, one, 1).infer().error().message().find("bias") != std::string_view::npos);
  CHECK(norm_case(x, two, two, 2).infer().error().message().find("axis") != std::string_view::npos);
}

}  // namespace nestrt::test
