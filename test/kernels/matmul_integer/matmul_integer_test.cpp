// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "test/support/kernel/exact.h"
#include "test/support/kernel/kernel_runner.h"

namespace nestrt::test {
namespace {

TestTensor random_integers(std::mt19937& generator, DataType type, const Shape& shape, bool extreme = false) {
  TestTensor result = random_s8(generator, shape);
  for (std::byte& element : result.bytes)
    if (extreme) element = element < std::byte{128} ? std::byte{0x80} : std::byte{0x7f};
  result.type = type;
  return result;
}

// The form of a random product.
struct IntegerForm {
  DataType a = DataType::kU8, b = DataType::kS8;
  int zeros_a = 1, zeros_b = 1;  // numbers of zero points; -1: absent
  bool scaled = false, biased = false, constant = false, extreme = false;
};

OperatorCase integer_case(const IntegerForm& form, const Shape& a, const Shape& b, const Shape& y) {
  std::mt19937 generator(7);
  const int64_t columns = b.rank() < 2 ? 1 : b[b.rank() - 1];
  const auto zero = [&](DataType type, int count) {
    return count < 0 ? absent() : random_integers(generator, type, count == 1 ? Shape{} : Shape{columns});
  };
  OperatorCase c(ops::MatMulInteger{});
  c.input(random_integers(generator, form.a, a, form.extreme));
  const TestTensor right = random_integers(generator, form.b, b, form.extreme);
  c.input(form.constant ? as_constant(right) : right);
  c.input(zero(form.a, form.zeros_a)).input(zero(form.b, form.zeros_b));
  if (form.scaled) c.input(tensor(Shape{}, std::vector<float>{0.01f})).input(random_tensor(generator, {columns}, 0.1f));
  if (form.biased) c.input(random_tensor(generator, {columns}));
  c.output(form.scaled ? DataType::kF32 : DataType::kS32, y);
  return c;
}

void check_fast_products(const IntegerForm& form, const Shape& a, const Shape& b, const Shape& y) {
  IntegerForm plain = form;
  plain.constant = false;
  const TestTensor expected = reference(integer_case(plain, a, b, y))[0];
  bool ran = false;
  for_each_fast_kernel(integer_case(form, a, b, y),
                       [&](const std::string& what, const std::vector<TestTensor>& outputs) {
                         INFO(what << " of " << a.to_string() << " and " << b.to_string());
                         if (form.scaled)
                           CHECK(relative_error(outputs[0], expected) < 1e-6);
                         else
                           CHECK(outputs[0].bytes == expected.bytes);
                         ran = true;
                       });
  CHECK(ran);
}

}  // namespace

TEST_CASE("MatMulInteger subtracts the zero points, as in the example of ONNX") {
  OperatorCase c(ops::MatMulInteger{});
  c.input(tensor_u8({4, 3}, {11, 7, 3, 10, 6, 2, 9, 5, 1, 8, 4, 0})).input(tensor_u8({3, 2}, {1, 4, 2, 5, 3, 6}));
  c.input(tensor_u8({1}, {12})).input(tensor_u8({1}, {0})).output(DataType::kS32, {4, 2});
  CHECK(reference(c)[0].values<int32_t>() == std::vector<int32_t>{-38, -83, -44, -98, -50, -113, -56, -128});
}

TEST_CASE("MatMulInteger with scales returns floats") {
  OperatorCase c(ops::MatMulInteger{});
  c.input(tensor_u8({1, 2}, {130, 120})).input(tensor_s8({2, 2}, {1, 2, 3, -4}));
  c.input(tensor_u8({}, {128})).input(tensor_s8({2}, {0, 1})).input(tensor_f32({}, {0.5f}));
  c.input(tensor_f32({2}, {2, 4})).input(tensor_f32({2}, {1, -1})).output(DataType::kF32, {1, 2});
  // sums: 2 * 1 - 8 * 3 = -22 and 2 * 1 - 8 * -5 = 42
  CHECK(reference(c)[0].values<float>() == std::vector<float>{-21, 83});
}

TEST_CASE("MatMulInteger rejects operands that do not fit") {
  const auto error = [](const std::vector<TestTensor>& inputs) {
    OperatorCase c(ops::MatMulInteger{});
    c.input(tensor_u8({2, 3}, std::vector<int>(6))).input(tensor_s8({3, 2}, std::vector<int>(6)));
    for (const TestTensor& input : inputs) c.input(input);
    return c.infer().error();
  };
  const TestTensor scale = tensor_f32({}, {1});
  CHECK(error({}).ok());
  CHECK(error({tensor_u8({1}, {0}), tensor_s8({2}, {0, 0}), scale, scale, tensor_f32({2}, {0, 0})}).ok());
  CHECK_FALSE(error({tensor_s8({1}, {0})}).ok());                                              // the type of b
  CHECK_FALSE(error({tensor_u8({2}, {0, 0})}).ok());                                           // one per row
  CHECK_FALSE(error({absent(), tensor_s8({3}, {0, 0, 0})}).ok());                              // one per element of K
  CHECK_FALSE(error({absent(), absent(), scale}).ok());                                        // one scale
  CHECK_FALSE(error({absent(), absent(), absent(), absent(), tensor_f32({2}, {0, 0})}).ok());  // bias without scales
  CHECK_FALSE(error({absent(), absent(), scale, scale, scale}).ok());                          // shape of the bias
}

TEST_CASE("Every kernel of MatMulInteger equals the reference for all types and operands") {
  for (const DataType a : {DataType::kU8, DataType::kS8})
    for (const DataType b : {DataType::kU8, DataType::kS8})
      for (const auto& [zeros_a, zeros_b] : {std::pair{-1, -1}, {1, -1}, {1, 1}, {-1, 2}, {1, 2}})
        for (const int form : {0, 1, 2, 3}) {
          IntegerForm f{a, b, zeros_a, zeros_b};
          f.constant = form % 2 == 1;
          f.scaled = form >= 2;
          f.biased = form == 3;
          check_fast_products(f, {5, 37}, {37, 21}, {5, 21});
        }
}

TEST_CASE("Every kernel of MatMulInteger equals the reference for odd shapes and extreme values") {
  for (const bool constant : {false, true})
    for (const int64_t rows : {1, 2, 3, 7, 30})
      for (const auto& [inner, columns] :
           {std::pair<int64_t, int64_t>{1, 1}, {0, 5}, {4, 16}, {15, 17}, {16, 32}, {65, 33}, {130, 48}, {600, 3}}) {
        IntegerForm f{DataType::kU8, DataType::kS8, 1, 2};
        f.constant = constant;
        f.extreme = rows % 2 == 1;
        check_fast_products(f, {rows, inner}, {inner, columns}, {rows, columns});
      }
}

TEST_CASE("Every kernel of MatMulInteger broadcasts batches and vectors") {
  for (const bool constant : {false, true})
    for (const DataType b : {DataType::kU8, DataType::kS8}) {
      IntegerForm f{DataType::kU8, b, 1, 1};
      f.constant = constant;
      check_fast_products(f, {2, 1, 3, 20}, {3, 20, 18}, {2, 3, 3, 18});
      check_fast_products(f, {2, 3, 20}, {20, 18}, {2, 3, 18});
      check_fast_products(f, {20}, {20, 18}, {18});
      check_fast_products(f, {3, 20}, {20}, {3});
      check_fast_products(f, {20}, {20}, {});
    }
}

}  // namespace nestrt::test
