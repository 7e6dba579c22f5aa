// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "test/support/evta/sum_check.h"
#include "test/support/kernel/float_values.h"
#include "test/support/kernel/kernel_runner.h"

namespace nestrt::test {
namespace {

struct NBitsForm {
  int32_t bits, block;
  int64_t rows, inner;
  int32_t columns;
  int zeros = 0;  // 0: absent, 1: u8, 2: f32
  bool biased = false;
};

std::vector<int> random_numbers(std::mt19937& generator, int64_t count, int below) {
  std::vector<int> numbers(static_cast<size_t>(count));
  for (int& number : numbers) number = std::uniform_int_distribution<int>(0, below - 1)(generator);
  return numbers;
}

// If `magnitudes`, all terms of the sums are positive and at least as large as otherwise.
OperatorCase nbits_case(const NBitsForm& form, bool magnitudes = false) {
  std::mt19937 generator(5);
  const int64_t panels = (form.columns + 15) / 16, blocks = (form.inner + form.block - 1) / form.block;
  const Shape by_block{panels, blocks, 16}, packed{panels, blocks, form.block * form.bits / 8, 16};
  const auto sign = [&](const TestTensor& tensor) { return magnitudes ? magnitude(tensor) : tensor; };
  OperatorCase c(ops::MatMulNBits{.bits = form.bits, .block = form.block, .columns = form.columns});
  c.input(sign(random_tensor(generator, {form.rows, form.inner})));
  TestTensor weights = tensor_u8(packed, random_numbers(generator, packed.num_elements(), 256));
  if (magnitudes) std::fill(weights.bytes.begin(), weights.bytes.end(), std::byte{0xff});
  c.input(as_constant(weights));
  c.input(as_constant(sign(random_tensor(generator, by_block, -0.1f, 0.1f))));
  TestTensor zeros = absent();
  if (form.zeros == 1) zeros = tensor_u8(by_block, random_numbers(generator, by_block.num_elements(), 1 << form.bits));
  if (form.zeros == 2) zeros = random_tensor(generator, by_block, 0, static_cast<float>(1 << form.bits));
  if (magnitudes) zeros = tensor(by_block, std::vector<float>(static_cast<size_t>(by_block.num_elements())));
  c.input(zeros.present ? as_constant(zeros) : zeros);
  if (form.biased) c.input(as_constant(sign(random_tensor(generator, {form.columns}))));
  c.output(DataType::kF32, {form.rows, form.columns});
  return c;
}

void check_fast_nbits(const NBitsForm& form) {
  const TestTensor expected = reference(nbits_case(form))[0], bounds = reference(nbits_case(form, true))[0];
  bool ran = false;
  for_each_fast_kernel(nbits_case(form), [&](const std::string& what, const std::vector<TestTensor>& outputs) {
    // Each weight contributes two products: with the stored integer and with the zero point.
    check_sums(what, outputs[0], expected, bounds, 2 * form.inner);
    ran = true;
  });
  CHECK(ran);
}

}  // namespace

TEST_CASE("MatMulNBits reads the lowest bits first and applies scale and zero point of each block") {
  const auto product = [](int32_t bits, std::vector<int> column, const TestTensor& zeros) {
    const auto bytes = static_cast<int64_t>(column.size());
    std::vector<int> weights(column.size() * 16);
    for (size_t i = 0; i < column.size(); ++i) weights[i * 16] = column[i];
    OperatorCase c(ops::MatMulNBits{.bits = bits, .block = 4, .columns = 1});
    c.input(tensor_f32({1, 6}, {1, 10, 100, 1000, 10000, 100000}));
    c.input(as_constant(tensor_u8({1, 2, bytes / 2, 16}, weights)));
    std::vector<float> scales(32);
    scales[0] = 1;
    scales[16] = 0.5f;
    c.input(as_constant(tensor({1, 2, 16}, scales))).input(zeros).output(DataType::kF32, {1, 1});
    return reference(c)[0].values<float>()[0];
  };
  // The 4-bit weights are 1, 2, 3, 4 and 5, 6, minus 8.
  CHECK(product(4, {0x21, 0x43, 0x65, 0xff}, absent()) == -7 - 60 - 500 - 4000 - 15000 - 100000);
  // The 2-bit weights are 0, 1, 2, 3 and 1, 2, minus 2.
  CHECK(product(2, {0xe4, 0xf9}, absent()) == -2 - 10 + 0 + 1000 - 5000 + 0);
  std::vector<int> zeros(32);
  zeros[0] = 1;
  zeros[16] = 7;
  CHECK(product(8, {1, 2, 3, 4, 8, 9, 0, 0}, as_constant(tensor_u8({1, 2, 16}, zeros))) ==
        10 + 200 + 3000 + 5000 + 100000);
}

TEST_CASE("MatMulNBits rejects operands that do not fit") {
  const auto error = [](ops::MatMulNBits op, const Shape& weights, bool constant = true) {
    OperatorCase c(op);
    const TestTensor packed = tensor_u8(weights, std::vector<int>(static_cast<size_t>(weights.num_elements())));
    c.input(shape_only({2, 40})).input(constant ? as_constant(packed) : packed);
    c.input(as_constant(tensor({1, 2, 16}, std::vector<float>(32)))).output(DataType::kF32, {2, 10});
    return c.infer().error();
  };
  const ops::MatMulNBits op{.bits = 4, .block = 32, .columns = 10};
  CHECK(error(op, {1, 2, 16, 16}).ok());
  CHECK_FALSE(error(op, {1, 2, 16, 16}, false).ok());
  CHECK_FALSE(error(op, {1, 2, 15, 16}).ok());
  for (const ops::MatMulNBits& wrong :
       {ops::MatMulNBits{3, 32, 10}, ops::MatMulNBits{4, 31, 10}, ops::MatMulNBits{4, 0, 10},
        ops::MatMulNBits{4, -32, 10}, ops::MatMulNBits{4, 32, 0}, ops::MatMulNBits{4, 32, 17},
        ops::MatMulNBits{8, 32, 10}})
    CHECK_FALSE(error(wrong, {1, 2, 16, 16}).ok());
}

TEST_CASE("Every kernel of MatMulNBits agrees with the reference") {
  for (const int32_t bits : {2, 4, 8})
    for (const int64_t rows : {1, 2, 3, 4, 17})
      for (const int zeros : {0, 1, 2})
        for (const auto& [inner, block, columns] : {std::tuple<int64_t, int32_t, int32_t>{32, 32, 16},
                                                    {1, 16, 1},
                                                    {70, 16, 33},
                                                    {129, 128, 70},
                                                    {45, 48, 100}})
          check_fast_nbits({bits, block, rows, inner, columns, zeros, zeros == 1});
}

TEST_CASE("MatMulNBits is bit-identical for any number of threads") {
  for (const int64_t rows : {1, 3, 50}) {
    const OperatorCase c = nbits_case({4, 32, rows, 512, 1000, 1, true});
    CHECK(same_elements(c.run("matmul_nbits.panel16", 1), c.run("matmul_nbits.panel16", 3)));
  }
}

}  // namespace nestrt::test
