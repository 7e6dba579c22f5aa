// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "test/support/kernel/exact.h"

namespace nestrt::test {
namespace {

ops::Concat concat(int32_t axis) {
  ops::Concat table;
  table.axis = axis;
  return table;
}

TEST_CASE("Concat joins its inputs along the axis") {
  OperatorCase c(concat(-1));
  c.input(tensor({2, 1}, std::vector<int64_t>{1, 2})).input(tensor({2, 2}, std::vector<int64_t>{3, 4, 5, 6}));
  c.input(tensor({2, 0}, std::vector<int64_t>{})).output(DataType::kS64, {2, 3});
  const auto inferred = c.infer();
  REQUIRE(inferred);
  CHECK(inferred->front().shape == Shape{2, 3});
  CHECK(reference(c)[0].values<int64_t>() == std::vector<int64_t>{1, 3, 4, 2, 5, 6});
}

// Compares the concatenation of inputs with these lengths along `axis`, in `layout`, with the plain reference.
void check_lengths(std::mt19937& generator, DataType type, Shape shape, int axis, const std::vector<int64_t>& lengths,
                   Layout layout) {
  OperatorCase plain(concat(axis)), fast(concat(axis));
  int64_t total = 0;
  for (int64_t length : lengths) {
    shape[axis] = length;
    total += length;
    const TestTensor input = random_bytes(generator, type, shape);
    plain.input(input);
    fast.input(with_layout(input, layout));
  }
  shape[axis] = total;
  plain.output(type, shape);
  fast.output(type, shape, layout);
  check_exact(fast, reference(plain)[0], "concat.copy");
}

TEST_CASE("Concat copies rows of any type along any axis") {
  std::mt19937 generator(1);
  for (DataType type : {DataType::kF32, DataType::kU8, DataType::kS64})
    for (int axis : {0, 1, 2, 3}) check_lengths(generator, type, {2, 3, 5, 7}, axis, {1, 4, 33}, Layout::kPlain);
  check_lengths(generator, DataType::kF32, {1, 1, 60, 60}, 1, {16, 5}, Layout::kPlain);
}

TEST_CASE("Concat joins blocked tensors whose channels fill their blocks") {
  std::mt19937 generator(2);
  for (DataType type : {DataType::kF32, DataType::kS8}) {
    check_lengths(generator, type, {2, 1, 5, 7}, 1, {32, 64, 7}, Layout::kBlocked16);
    check_lengths(generator, type, {2, 1, 5, 7}, 1, {32, 64, 33}, Layout::kBlocked32);
    for (int axis : {0, 2, 3}) check_lengths(generator, type, {2, 21, 5, 7}, axis, {1, 4}, Layout::kBlocked16);
  }
}

TEST_CASE("Concat reports the operand that does not fit") {
  const auto pair = [](int32_t axis, const TestTensor& a, const TestTensor& b) {
    OperatorCase c(concat(axis));
    c.input(a).input(b);
    return infer_error(c);
  };
  const TestTensor small = tensor({2, 2}, std::vector<float>(4));
  CHECK_THAT(pair(2, small, small), Catch::Contains("axis is 2"));
  CHECK_THAT(pair(0, small, tensor({2, 3}, std::vector<float>(6))), Catch::Contains("input 1 has shape 2x3"));
  CHECK_THAT(pair(0, small, tensor({4}, std::vector<float>(4))), Catch::Contains("input 1 has shape 4"));
  CHECK_THAT(pair(0, small, tensor({2, 2}, std::vector<int32_t>(4))), Catch::Contains("input 1 is s32"));
  CHECK_THAT(pair(0, small, absent()), Catch::Contains("input 1 is absent"));
}

TEST_CASE("Concat of s8 tensors requires equal exponents") {
  ops::Concat table;
  const auto joined = [&](int exponent) {
    OperatorCase c(table);
    c.input(with_exponent(tensor_s8({1}, {1}), 3))
        .input(with_exponent(tensor_s8({1}, {2}), exponent))
        .output_s8({2}, 3);
    return infer_error(c);
  };
  CHECK(joined(3).empty());
  CHECK_THAT(joined(4), Catch::Contains("insert a Requantize"));
}

}  // namespace
}  // namespace nestrt::test
