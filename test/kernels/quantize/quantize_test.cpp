#include <catch2/catch.hpp>
#include <limits>

#include "test/support/exact.h"
#include "test/support/kernel_runner.h"

namespace nestrt::test {

TEST_CASE("Quantize rounds to the output's exponent and clips") {
  const TestTensor x =
      tensor_f32({1, 2, 3}, {0.25f, -0.25f, 100.0f, -100.0f, std::numeric_limits<float>::quiet_NaN(), 1.3f});
  OperatorCase c{plan::QuantizeT()};
  c.input(x).output_s8({1, 2, 3}, 1);
  CHECK(complaint(c).empty());
  CHECK(reference(c)[0].values<int8_t>() == std::vector<int8_t>{1, 0, 127, -128, 0, 3});
  plan::QuantizeT floor;
  floor.rounding = plan::Rounding::floor;
  OperatorCase d(floor);
  d.input(x).output_s8({1, 2, 3}, 1);
  CHECK(reference(d)[0].values<int8_t>() == std::vector<int8_t>{0, -1, 127, -128, 0, 2});
}

TEST_CASE("Quantize gives the same in a blocked layout") {
  std::mt19937 generator(3);
  const TestTensor x = random_tensor(generator, {2, 19, 3, 2}, -9, 9);
  OperatorCase plain{plan::QuantizeT()}, blocked{plan::QuantizeT()};
  plain.input(x).output_s8(x.shape, 4);
  blocked.input(with_layout(x, Layout::kBlocked16)).output_s8(x.shape, 4, Layout::kBlocked16);
  check_exact(blocked, reference(plain)[0], "quantize.simd");
}

TEST_CASE("Quantize refuses what is not f32, or has no exponent to go to") {
  OperatorCase integers{plan::QuantizeT()};
  integers.input(tensor_s8({1}, {1})).output_s8({1}, 0);
  CHECK_THAT(complaint(integers), Catch::Contains("the input is s8, expected f32"));
  OperatorCase unknown{plan::QuantizeT()};
  unknown.input(tensor_f32({1}, {1})).output(DataType::kS8, {1});
  CHECK_THAT(complaint(unknown), Catch::Contains("the output is s8 but has no quantization"));
}

}  // namespace nestrt::test
