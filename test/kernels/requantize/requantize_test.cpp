#include <catch2/catch.hpp>

#include "test/support/exact.h"
#include "test/support/kernel_runner.h"

namespace nestrt::test {
namespace {

std::vector<int8_t> requantized(int from, int to, plan::Rounding rounding) {
  plan::RequantizeT table;
  table.rounding = rounding;
  OperatorCase c(table);
  c.input(with_exponent(tensor_s8({5}, {-128, -3, 1, 3, 127}), from)).output_s8({5}, to);
  CHECK(complaint(c).empty());
  return reference(c)[0].values<int8_t>();
}

}  // namespace

TEST_CASE("Requantize shifts right with rounding and left with clipping") {
  CHECK(requantized(5, 4, plan::Rounding::half_up) == std::vector<int8_t>{-64, -1, 1, 2, 64});
  CHECK(requantized(5, 4, plan::Rounding::floor) == std::vector<int8_t>{-64, -2, 0, 1, 63});
  CHECK(requantized(4, 6, plan::Rounding::half_up) == std::vector<int8_t>{-128, -12, 4, 12, 127});
  CHECK(requantized(-64, 64, plan::Rounding::half_up) == std::vector<int8_t>{-128, -128, 127, 127, 127});
  CHECK(requantized(64, -64, plan::Rounding::half_up) == std::vector<int8_t>{0, 0, 0, 0, 0});
}

TEST_CASE("Requantize gives the same in a blocked layout") {
  std::mt19937 generator(5);
  const TestTensor x = with_exponent(random_s8(generator, {2, 33, 3}), 6);
  OperatorCase plain{plan::RequantizeT()}, blocked{plan::RequantizeT()};
  plain.input(x).output_s8(x.shape, 3);
  blocked.input(with_layout(x, Layout::kBlocked16)).output_s8(x.shape, 3, Layout::kBlocked16);
  check_exact(blocked, reference(plain)[0], "requantize.simd");
}

TEST_CASE("Requantize gives the same in vectors, whatever the exponents") {
  std::vector<int> all;
  for (int q = -128; q <= 127; ++q) all.push_back(q);
  for (plan::Rounding rounding : {plan::Rounding::half_up, plan::Rounding::floor}) {
    for (int to : {-64, -40, -33, -32, -20, -9, -8, -7, -2, -1, 0, 1, 2, 6, 7, 8, 9, 33, 64}) {
      plan::RequantizeT table;
      table.rounding = rounding;
      OperatorCase c(table);
      c.input(with_exponent(tensor_s8({256}, all), 0)).output_s8({256}, to);
      check_exact(c, reference(c)[0], "requantize.simd");
    }
  }
}

}  // namespace nestrt::test
