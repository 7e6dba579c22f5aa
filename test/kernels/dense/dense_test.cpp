// SPDX-License-Identifier: Apache-2.0
#include "kernels/dense/dense.h"

#include <catch2/catch.hpp>

#include "kernels/common/packing/packing.h"
#include "test/support/evta/sum_check.h"
#include "test/support/kernel/kernel_runner.h"

namespace nestrt::test {

TEST_CASE("Dense multiplies rows with the weights and adds the bias") {
  ops::Dense dense;
  dense.activation = {ops::ActivationKind::kClip, 0.0f, 300.0f};
  OperatorCase c(dense);
  c.input(tensor_f32({2, 2}, {1, 2, -3, 4})).input(tensor_f32({2, 3}, {1, 10, 100, 2, 20, 200}));
  c.input(tensor_f32({3}, {0.5f, 0, 0})).output(DataType::kF32, {2, 3});
  REQUIRE(c.infer().value()[0].shape == Shape{2, 3});
  CHECK(reference(c)[0].values<float>() == std::vector<float>{5.5f, 50, 300, 5.5f, 50, 300});
}

TEST_CASE("Dense rejects operands that do not fit") {
  const auto infer_error = [](const Shape& x, const Shape& weights, const Shape& bias) {
    OperatorCase c(ops::Dense{});
    for (const Shape& shape : {x, weights, bias}) c.input(shape_only(shape));
    return c.infer().error();
  };
  CHECK(infer_error({2, 3}, {3, 4}, {4}).ok());
  CHECK_FALSE(infer_error({2, 3}, {4, 4}, {4}).ok());
  CHECK_FALSE(infer_error({2, 3}, {3, 4}, {3}).ok());
  CHECK_FALSE(infer_error({2, 3, 1}, {3, 4}, {4}).ok());
  CHECK_FALSE(infer_error({int64_t{1} << 40, 1}, {1, int64_t{1} << 40}, {int64_t{1} << 40}).ok());
}

TEST_CASE("Every kernel of Dense agrees with the reference") {
  std::mt19937 generator(1);
  const auto draw = [&](int low, int high) { return std::uniform_int_distribution<int>(low, high)(generator); };
  for (int i = 0; i < 30; ++i) {
    const int64_t rows = i % 3 == 0 ? 1 : draw(1, 40), inputs = draw(1, 300), outputs = draw(1, 100);
    const TestTensor x = random_tensor(generator, {rows, inputs}),
                     weights = random_tensor(generator, {inputs, outputs});
    const TestTensor bias = i % 4 == 0 ? absent() : as_constant(random_tensor(generator, {outputs}));
    const auto make = [&](const TestTensor& in, const TestTensor& w, const TestTensor& b, ops::ActivationKind kind) {
      ops::Dense dense;
      dense.activation = {kind, 0.2f, 0.7f};
      OperatorCase c(dense);
      c.input(in).input(w).input(b).output(DataType::kF32, {rows, outputs});
      return c;
    };
    const auto kind = static_cast<ops::ActivationKind>(i % 9);
    const TestTensor expected = reference(make(x, weights, bias, kind))[0];
    const TestTensor sums =
        reference(make(magnitude(x), magnitude(weights), magnitude(bias), ops::ActivationKind::kNone))[0];
    const auto check = [&](const std::string& what, const std::vector<TestTensor>& results) {
      check_sums(what, results[0], expected, sums, inputs);
    };
    for_each_fast_kernel(make(x, as_constant(weights), bias, kind), check);
    TestTensor packed = as_constant(weights);
    packed.packing = Packing::kPanel16;
    packed.bytes.resize(static_cast<size_t>(kernels::packed_bytes(packed.packing, weights.shape)));
    kernels::pack_weights(packed.packing, weights.shape, reinterpret_cast<const float*>(weights.bytes.data()),
                          reinterpret_cast<float*>(packed.bytes.data()));
    const OperatorCase c = make(x, packed, bias, kind);
    REQUIRE(c.variants() == std::vector<std::string>{"dense.f32.panel16"});
    for_each_fast_kernel(c, check);
  }
}

TEST_CASE("Dense is bit-identical for any number of threads") {
  std::mt19937 generator(2);
  for (const int64_t rows : {1, 2, 3, 4, 8, 31}) {
    OperatorCase c(ops::Dense{});
    c.input(random_tensor(generator, {rows, 700})).input(as_constant(random_tensor(generator, {700, 1010})));
    c.output(DataType::kF32, {rows, 1010});
    CHECK(same_elements(c.run("dense.f32.panel16", 1), c.run("dense.f32.panel16", 3)));
  }
}

}  // namespace nestrt::test
