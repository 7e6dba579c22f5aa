// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "test/support/kernel/exact.h"
#include "test/support/kernel/kernel_runner.h"

namespace nestrt::test {

TEST_CASE("Dequantize is exact") {
  OperatorCase c{ops::Dequantize()};
  c.input(with_exponent(tensor_s8({4}, {-128, -1, 0, 127}), 3)).output(DataType::kF32, {4});
  CHECK(infer_error(c).empty());
  CHECK(reference(c)[0].values<float>() == std::vector<float>{-16, -0.125f, 0, 15.875f});
}

TEST_CASE("Dequantize is the same in a blocked layout") {
  std::mt19937 generator(4);
  const TestTensor x = with_exponent(random_s8(generator, {1, 17, 5}), -2);
  OperatorCase plain{ops::Dequantize()}, blocked{ops::Dequantize()};
  plain.input(x).output(DataType::kF32, x.shape);
  blocked.input(with_layout(x, Layout::kBlocked16)).output(DataType::kF32, x.shape, Layout::kBlocked16);
  check_exact(blocked, reference(plain)[0], "dequantize.simd");
}

TEST_CASE("Dequantize rejects a tensor without an exponent and invalid scales") {
  OperatorCase none{ops::Dequantize()};
  none.input(tensor_s8({1}, {1})).output(DataType::kF32, {1});
  CHECK_THAT(infer_error(none), Catch::Contains("has no quantization"));
  OperatorCase several{ops::Dequantize()};
  several.input(with_exponents(tensor_s8({2}, {1, 1}), {1, 2}, 0)).output(DataType::kF32, {2});
  CHECK_THAT(infer_error(several), Catch::Contains("expected one"));
  OperatorCase scales{ops::Dequantize()};
  TestTensor x = tensor_s8({1}, {1});
  x.quantization.emplace();
  x.quantization->scales = {-0.3f};
  scales.input(x).output(DataType::kF32, {1});
  CHECK_THAT(infer_error(scales), Catch::Contains("expected a positive finite number"));
}

TEST_CASE("Dequantize supports s8, u8 and s32 with scales per tensor or per channel") {
  const auto of = [](TestTensor x) {
    OperatorCase c{ops::Dequantize()};
    const Shape shape = x.shape;
    c.input(std::move(x)).output(DataType::kF32, shape);
    CHECK(infer_error(c).empty());
    return reference(c)[0].values<float>();
  };
  CHECK(of(with_scale(tensor_s8({3}, {-128, 0, 127}), 0.5f, -1)) == std::vector<float>{-63.5f, 0.5f, 64.0f});
  CHECK(of(with_scale(tensor_u8({2}, {0, 255}), 2.0f, 128)) == std::vector<float>{-256.0f, 254.0f});
  CHECK(of(with_scale(tensor({2}, std::vector<int32_t>{INT32_MIN, 7}), 1.0f, 0)) == std::vector<float>{-0x1p31f, 7.0f});
  CHECK(of(with_scales(tensor_s8({1, 2, 2}, {1, 2, 3, 4}), {1.0f, 10.0f}, 1)) ==
        std::vector<float>{1.0f, 2.0f, 30.0f, 40.0f});
}

TEST_CASE("Vectorized Dequantize from a scale equals the reference in any layout") {
  std::mt19937 generator(3);
  const TestTensor x = with_scale(random_s8(generator, {2, 19, 3, 2}), 0.037f, -77);
  for (const Layout layout : {Layout::kPlain, Layout::kBlocked16}) {
    OperatorCase plain{ops::Dequantize()}, vectors{ops::Dequantize()};
    plain.input(x).output(DataType::kF32, x.shape);
    vectors.input(with_layout(x, layout)).output(DataType::kF32, x.shape, layout);
    check_exact(vectors, reference(plain)[0], "dequantize.simd");
  }
}

}  // namespace nestrt::test
