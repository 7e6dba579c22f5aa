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

TEST_CASE("Vectorized LayerNorm agrees with the reference") {
  std::mt19937 generator(31);
  for (const Shape& shape : {Shape{3, 1}, Shape{2, 7}, Shape{5, 64}, Shape{3, 1001}, Shape{2, 3, 129}, Shape{0, 4}})
    for (const auto& [low, high] : {std::pair(-2.0f, 2.0f), {1000.0f, 1001.0f}, {-1e20f, 1e20f}})
      for (int axis : {0, 1}) {
        const Shape normalized(shape.dims().subspan(static_cast<size_t>(axis)));
        const TestTensor x = random_tensor(generator, shape, low, high);
        const TestTensor scale = random_tensor(generator, normalized), bias = random_tensor(generator, normalized);
        for (const TestTensor& offset : {bias, absent()}) {
          const OperatorCase c = norm_case(x, scale, offset, axis);
          const TestTensor expected = reference(c)[0];
          for_each_fast_kernel(c, [&](const std::string& what, const std::vector<TestTensor>& outputs) {
            INFO(what << " " << shape.to_string() << " axis " << axis);
            CHECK(relative_error(outputs[0], expected) < 1e-6);
          });
        }
      }
}

TEST_CASE("Vectorized LayerNorm is bit-identical for any number of threads") {
  std::mt19937 generator(34);
  const OperatorCase c = norm_case(random_tensor(generator, {301, 333}), random_tensor(generator, {333}),
                                   random_tensor(generator, {333}), -1);
  for (int threads : {2, 3, 5})
    CHECK(same_elements(c.run("layer_norm.f32.simd", threads), c.run("layer_norm.f32.simd", 1)));
}

TEST_CASE("Vectorized LayerNorm gives NaN for rows with NaN or infinity, and only for them") {
  std::vector<float> x(3 * 20, 1.5f);
  x[3] = NAN, x[20 + 19] = INFINITY, x[45] = 2;
  const std::vector<float> ones(20, 1);
  const OperatorCase c = norm_case(tensor({3, 20}, x), tensor({20}, ones), tensor({20}, ones), 1);
  const TestTensor expected = reference(c)[0];
  for_each_fast_kernel(c, [&](const std::string& what, const std::vector<TestTensor>& outputs) {
    INFO(what);
    CHECK(relative_error(outputs[0], expected) < 1e-6);
  });
}

TEST_CASE("LayerNorm rejects parameters that do not fit") {
  const TestTensor x = tensor({2, 2}, std::vector<float>(4)), two = tensor({2}, std::vector<float>(2));
  const TestTensor one = tensor({1}, std::vector<float>(1));
  CHECK(norm_case(x, one, two, 1).infer().error().message().find("scale") != std::string_view::npos);
  CHECK(norm_case(x, two, one, 1).infer().error().message().find("bias") != std::string_view::npos);
  CHECK(norm_case(x, two, two, 2).infer().error().message().find("axis") != std::string_view::npos);
}

}  // namespace nestrt::test
