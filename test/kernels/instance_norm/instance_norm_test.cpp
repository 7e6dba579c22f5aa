// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <cmath>

#include "test/support/kernel/kernel_runner.h"

namespace nestrt::test {
namespace {

OperatorCase norm_case(const TestTensor& x, const TestTensor& scale, const TestTensor& bias, float epsilon) {
  ops::InstanceNorm table;
  table.epsilon = epsilon;
  OperatorCase c(table);
  c.input(x).input(scale).input(bias).output(DataType::kF32, x.shape);
  return c;
}

}  // namespace

TEST_CASE("InstanceNorm normalizes each channel of each image") {
  const TestTensor x = tensor({1, 2, 1, 3}, std::vector<float>{-1, 0, 1, 2, 3, 4});
  const OperatorCase c =
      norm_case(x, tensor({2}, std::vector<float>{1, 1.5f}), tensor({2}, std::vector<float>{0, 1}), 1e-2f);
  const float a = 1 / std::sqrt(2.0f / 3 + 1e-2f);
  const TestTensor expected = tensor({1, 2, 1, 3}, std::vector<float>{-a, 0, a, 1 - 1.5f * a, 1, 1 + 1.5f * a});
  CHECK(relative_error(reference(c)[0], expected) < 1e-6);
}

TEST_CASE("InstanceNorm of large similar values has no cancellation") {
  const TestTensor x = tensor({1, 1, 4}, std::vector<float>{1000000, 1000001, 1000000, 1000001});
  const OperatorCase c = norm_case(x, tensor({1}, std::vector<float>{1}), tensor({1}, std::vector<float>{0}), 0);
  CHECK(reference(c)[0].values<float>() == std::vector<float>{-1, 1, -1, 1});
}

TEST_CASE("Vectorized InstanceNorm agrees with the reference") {
  std::mt19937 generator(32);
  for (const Shape& shape : {Shape{2, 3}, Shape{1, 5, 7}, Shape{2, 3, 5, 13}, Shape{1, 2, 130, 70}})
    for (const auto& [low, high] : {std::pair(-2.0f, 2.0f), {1000.0f, 1001.0f}, {-1e20f, 1e20f}}) {
      const OperatorCase c = norm_case(random_tensor(generator, shape, low, high), random_tensor(generator, {shape[1]}),
                                       random_tensor(generator, {shape[1]}), 1e-5f);
      const TestTensor expected = reference(c)[0];
      for_each_fast_kernel(c, [&](const std::string& what, const std::vector<TestTensor>& outputs) {
        INFO(what << " " << shape.to_string());
        CHECK(relative_error(outputs[0], expected) < 1e-6);
      });
    }
}

TEST_CASE("InstanceNorm rejects parameters that do not fit") {
  const TestTensor x = tensor({1, 2, 1}, std::vector<float>{1, 2}), two = tensor({2}, std::vector<float>{1, 1});
  const TestTensor three = tensor({3}, std::vector<float>{1, 1, 1});
  CHECK(norm_case(x, three, two, 0).infer().error().message().find("scale") != std::string_view::npos);
  CHECK(norm_case(x, two, three, 0).infer().error().message().find("bias") != std::string_view::npos);
  CHECK(norm_case(two, two, two, 0).infer().error().message().find("rank") != std::string_view::npos);
}

}  // namespace nestrt::test
