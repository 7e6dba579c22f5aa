#include "kernels/dense/dense.h"

#include <catch2/catch.hpp>

#include "test/support/kernel_runner.h"

namespace nestrt::test {

TEST_CASE("Dense multiplies rows with the weights and adds the bias") {
  plan::DenseT dense;
  dense.activation = std::make_unique<plan::Activation>(plan::ActivationKind::clip, 0.0f, 300.0f);
  OperatorCase c(dense);
  c.input(tensor_f32({2, 2}, {1, 2, -3, 4})).input(tensor_f32({2, 3}, {1, 10, 100, 2, 20, 200}));
  c.input(tensor_f32({3}, {0.5f, 0, 0})).output(DataType::kF32, {2, 3});
  REQUIRE(c.infer().value()[0].shape == Shape{2, 3});
  CHECK(reference(c)[0].values<float>() == std::vector<float>{5.5f, 50, 300, 5.5f, 50, 300});
}

TEST_CASE("Dense refuses what does not fit") {
  const auto complaint = [](const Shape& x, const Shape& weights, const Shape& bias) {
    OperatorCase c(plan::DenseT{});
    for (const Shape& shape : {x, weights, bias}) c.input(shape_only(shape));
    return c.infer().error();
  };
  CHECK(complaint({2, 3}, {3, 4}, {4}).ok());
  CHECK_FALSE(complaint({2, 3}, {4, 4}, {4}).ok());
  CHECK_FALSE(complaint({2, 3}, {3, 4}, {3}).ok());
  CHECK_FALSE(complaint({2, 3, 1}, {3, 4}, {4}).ok());
  CHECK_FALSE(complaint({int64_t{1} << 40, 1}, {1, int64_t{1} << 40}, {int64_t{1} << 40}).ok());
}

}  // namespace nestrt::test
