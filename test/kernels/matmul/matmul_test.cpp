// SPDX-License-Identifier: Apache-2.0
#include "kernels/matmul/matmul.h"

#include <catch2/catch.hpp>

#include "test/support/evta/sum_check.h"
#include "test/support/kernel/float_values.h"
#include "test/support/kernel/kernel_runner.h"

namespace nestrt::test {
namespace {

std::vector<float> product(const TestTensor& a, const TestTensor& b, const Shape& expected) {
  OperatorCase c(ops::MatMul{});
  c.input(a).input(b).output(DataType::kF32, expected);
  REQUIRE(c.infer().value()[0].shape == expected);
  return reference(c)[0].values<float>();
}

}  // namespace

TEST_CASE("MatMul of two matrices is their product") {
  CHECK(product(tensor_f32({2, 2}, {1, 2, 3, 4}), tensor_f32({2, 1}, {10, 1}), {2, 1}) == std::vector<float>{12, 34});
}

TEST_CASE("MatMul treats vectors as a row on the left and a column on the right") {
  const TestTensor vector = tensor_f32({2}, {1, 10}), matrix = tensor_f32({2, 2}, {1, 2, 3, 4});
  CHECK(product(vector, matrix, {2}) == std::vector<float>{31, 42});
  CHECK(product(matrix, vector, {2}) == std::vector<float>{21, 43});
  CHECK(product(vector, vector, {}) == std::vector<float>{101});
}

TEST_CASE("MatMul broadcasts batch axes") {
  const TestTensor a = tensor_f32({2, 1, 1, 1}, {1, 2}), b = tensor_f32({3, 1, 1}, {3, 4, 5});
  CHECK(product(a, b, {2, 3, 1, 1}) == std::vector<float>{3, 4, 5, 6, 8, 10});
}

TEST_CASE("MatMul over an empty inner axis is zero") {
  CHECK(product(tensor_f32({1, 0}, {}), tensor_f32({0, 2}, {}), {1, 2}) == std::vector<float>{0, 0});
}

TEST_CASE("MatMul rejects operands that do not fit") {
  const auto infer_error = [](const Shape& a, const Shape& b) {
    OperatorCase c(ops::MatMul{});
    for (const Shape& shape : {a, b}) c.input(shape_only(shape));
    return c.infer().error();
  };
  CHECK(infer_error({5, 2, 3}, {3, 4}).ok());
  CHECK_FALSE(infer_error({2, 3}, {4, 3}).ok());
  CHECK_FALSE(infer_error({2, 1, 3}, {3, 3, 1}).ok());
  CHECK_FALSE(infer_error({}, {1}).ok());
  CHECK_FALSE(infer_error({int64_t{1} << 40, 1}, {1, int64_t{1} << 40}).ok());
}

TEST_CASE("MatMul multiplies few rows, broadcast matrices and vectors like the reference") {
  std::mt19937 generator(3);
  for (const int64_t rows : {1, 2, 3, 4, 5, 6, 7, 14, 15}) {
    for (const auto& [inner, columns] :
         {std::pair<int64_t, int64_t>{1, 1}, {0, 5}, {7, 15}, {33, 16}, {20, 17}, {65, 79}, {31, 128}, {3, 200}}) {
      OperatorCase c(ops::MatMul{}), sums(ops::MatMul{});
      const TestTensor a = random_tensor(generator, {2, rows, inner}), b = random_tensor(generator, {inner, columns});
      c.input(a).input(b).output(DataType::kF32, {2, rows, columns});
      sums.input(magnitude(a)).input(magnitude(b)).output(DataType::kF32, {2, rows, columns});
      const TestTensor expected = reference(c)[0], bounds = reference(sums)[0];
      for_each_fast_kernel(c, [&, length = inner](const std::string& what, const std::vector<TestTensor>& outputs) {
        check_sums(what + " of " + a.shape.to_string() + " and " + b.shape.to_string(), outputs[0], expected, bounds,
                   length);
      });
    }
  }
}

TEST_CASE("NaN and infinity affect only the row and the column of MatMul that contain them") {
  for (const int64_t rows : {1, 3, 20}) {
    std::vector<float> a(static_cast<size_t>(rows * 40), 1.0f), b(40 * 50, 1.0f);
    a[5] = kNan;
    b[7] = kInf;
    OperatorCase c(ops::MatMul{});
    c.input(tensor({rows, 40}, a)).input(tensor({40, 50}, b)).output(DataType::kF32, {rows, 50});
    const TestTensor expected = reference(c)[0];
    for_each_fast_kernel(c, [&](const std::string& what, const std::vector<TestTensor>& outputs) {
      INFO(what);
      CHECK(relative_error(outputs[0], expected) == 0);
    });
  }
}

TEST_CASE("MatMul is bit-identical for any number of threads") {
  std::mt19937 generator(4);
  for (const int64_t rows : {1, 2, 8, 100}) {
    OperatorCase c(ops::MatMul{});
    c.input(random_tensor(generator, {2, rows, 300})).input(random_tensor(generator, {2, 300, 1000}));
    c.output(DataType::kF32, {2, rows, 1000});
    CHECK(same_elements(c.run("matmul.f32.panel16", 1), c.run("matmul.f32.panel16", 3)));
  }
}

TEST_CASE("Every kernel of MatMul agrees with the reference") {
  std::mt19937 generator(1);
  const auto draw = [&](int low, int high) { return std::uniform_int_distribution<int>(low, high)(generator); };
  for (int i = 0; i < 30; ++i) {
    const int64_t rows = draw(1, 70), inner = draw(0, 90), columns = draw(1, 80), batch = draw(1, 3);
    const Shape a{i % 2 == 0 ? batch : 1, 2, rows, inner}, b{batch, 1, inner, columns};
    const auto make = [&](const TestTensor& left, const TestTensor& right) {
      OperatorCase c(ops::MatMul{});
      c.input(left).input(right).output(DataType::kF32, {batch, 2, rows, columns});
      return c;
    };
    const TestTensor left = random_tensor(generator, a), right = random_tensor(generator, b);
    const OperatorCase c = make(left, right);
    const TestTensor expected = reference(c)[0], sums = reference(make(magnitude(left), magnitude(right)))[0];
    for_each_fast_kernel(c, [&](const std::string& what, const std::vector<TestTensor>& outputs) {
      check_sums(what + " of " + a.to_string() + " and " + b.to_string(), outputs[0], expected, sums, inner);
    });
  }
}

}  // namespace nestrt::test
