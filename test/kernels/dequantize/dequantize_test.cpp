#include <catch2/catch.hpp>

#include "test/support/exact.h"
#include "test/support/kernel_runner.h"

namespace nestrt::test {

TEST_CASE("Dequantize is exact") {
  OperatorCase c{plan::DequantizeT()};
  c.input(with_exponent(tensor_s8({4}, {-128, -1, 0, 127}), 3)).output(DataType::kF32, {4});
  CHECK(complaint(c).empty());
  CHECK(reference(c)[0].values<float>() == std::vector<float>{-16, -0.125f, 0, 15.875f});
}

TEST_CASE("Dequantize gives the same in a blocked layout") {
  std::mt19937 generator(4);
  const TestTensor x = with_exponent(random_s8(generator, {1, 17, 5}), -2);
  OperatorCase plain{plan::DequantizeT()}, blocked{plan::DequantizeT()};
  plain.input(x).output(DataType::kF32, x.shape);
  blocked.input(with_layout(x, Layout::kBlocked16)).output(DataType::kF32, x.shape, Layout::kBlocked16);
  check_exact(blocked, reference(plain)[0], "dequantize.simd");
}

TEST_CASE("Dequantize refuses a tensor without one exponent") {
  OperatorCase none{plan::DequantizeT()};
  none.input(tensor_s8({1}, {1})).output(DataType::kF32, {1});
  CHECK_THAT(complaint(none), Catch::Contains("has no quantization"));
  OperatorCase several{plan::DequantizeT()};
  several.input(with_exponents(tensor_s8({2}, {1, 1}), {1, 2}, 0)).output(DataType::kF32, {2});
  CHECK_THAT(complaint(several), Catch::Contains("expected one"));
  OperatorCase scales{plan::DequantizeT()};
  TestTensor x = tensor_s8({1}, {1});
  x.quantization.emplace();
  x.quantization->scales = {0.3f};
  scales.input(x).output(DataType::kF32, {1});
  CHECK_THAT(complaint(scales), Catch::Contains("only scales of 2^-e are supported"));
}

}  // namespace nestrt::test
