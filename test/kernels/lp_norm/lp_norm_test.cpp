// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "test/support/kernel/kernel_runner.h"

namespace nestrt::test {
namespace {

OperatorCase norm_case(const TestTensor& x, int axis, int p) {
  ops::LpNorm table;
  table.axis = axis;
  table.p = p;
  OperatorCase c(table);
  c.input(x).output(DataType::kF32, x.shape);
  return c;
}

}  // namespace

TEST_CASE("LpNorm divides each slice by its norm") {
  const TestTensor x = tensor({2, 2}, std::vector<float>{3, -4, 1, 0});
  CHECK(reference(norm_case(x, 1, 2))[0].values<float>() == std::vector<float>{0.6f, -0.8f, 1, 0});
  CHECK(reference(norm_case(x, -1, 1))[0].values<float>() == std::vector<float>{3.0f / 7, -4.0f / 7, 1, 0});
  CHECK(reference(norm_case(x, 0, 1))[0].values<float>() == std::vector<float>{0.75f, -1, 0.25f, 0});
}

TEST_CASE("LpNorm leaves a slice of zeros unchanged and does not overflow") {
  const TestTensor x = tensor({2, 2}, std::vector<float>{0, 0, 3e38f, 3e38f});
  const std::vector<float> y = reference(norm_case(x, 1, 2))[0].values<float>();
  CHECK(y[0] == 0);
  CHECK(y[2] == Approx(0.70710678f));
}

TEST_CASE("Vectorized LpNorm agrees with the reference along every axis") {
  std::mt19937 generator(33);
  for (const Shape& shape : {Shape{7}, Shape{3, 1}, Shape{5, 41, 19}, Shape{2, 9, 150}, Shape{0, 3}})
    for (const auto& [low, high] : {std::pair(-2.0f, 2.0f), {-3e38f, 3e38f}, {-1e-40f, 1e-40f}, {0.0f, 0.0f}})
      for (int axis = 0; axis < shape.rank(); ++axis)
        for (int p : {1, 2}) {
          const OperatorCase c = norm_case(random_tensor(generator, shape, low, high), axis, p);
          const TestTensor expected = reference(c)[0];
          for_each_fast_kernel(c, [&](const std::string& what, const std::vector<TestTensor>& outputs) {
            INFO(what << " " << shape.to_string() << " axis " << axis << " p " << p);
            CHECK(relative_error(outputs[0], expected) < 1e-6);
          });
        }
}

TEST_CASE("LpNorm rejects other norms and an axis out of range") {
  const TestTensor x = tensor({2}, std::vector<float>{3, 4});
  CHECK(norm_case(x, 0, 3).infer().error().message().find("p is 3") != std::string_view::npos);
  CHECK(norm_case(x, 1, 2).infer().error().message().find("axis") != std::string_view::npos);
}

}  // namespace nestrt::test
