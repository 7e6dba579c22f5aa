// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "test/support/kernel/float_values.h"
#include "test/support/kernel/kernel_runner.h"

namespace nestrt::test {
namespace {

OperatorCase quantize_case(const std::vector<float>& x) {
  const Shape shape{static_cast<int64_t>(x.size())};
  OperatorCase c(ops::DynamicQuantize{});
  c.input(tensor(shape, x)).output(DataType::kU8, shape).output(DataType::kF32, {}).output(DataType::kU8, {});
  return c;
}

struct Quantized {
  std::vector<uint8_t> y;
  float scale;
  int zero;
};

Quantized quantized(const std::vector<float>& x) {
  const std::vector<TestTensor> outputs = reference(quantize_case(x));
  return {outputs[0].values<uint8_t>(), outputs[1].values<float>()[0], outputs[2].values<uint8_t>()[0]};
}

void check_fast_quantization(const std::vector<float>& x) {
  const OperatorCase c = quantize_case(x);
  const std::vector<TestTensor> expected = reference(c);
  bool ran = false;
  for_each_fast_kernel(c, [&](const std::string& what, const std::vector<TestTensor>& outputs) {
    INFO(what << ", " << x.size() << " elements");
    CHECK(same_elements(outputs, expected));
    ran = true;
  });
  CHECK(ran);
}

}  // namespace

TEST_CASE("DynamicQuantize computes the parameters that ONNX defines") {
  // This is the example in the ONNX specification.
  const Quantized both = quantized({0, 2, -3, -2.5f, 1.34f, 0.5f});
  CHECK(both.scale == Approx(0.0196078438));
  CHECK(both.zero == 153);
  CHECK(both.y == std::vector<uint8_t>{153, 255, 0, 26, 221, 179});
  const Quantized negative = quantized({-1, -2.1f, -1.3f, -2.5f, -3.34f, -4});
  CHECK(negative.scale == Approx(0.0156862754));
  CHECK(negative.zero == 255);
  CHECK(negative.y == std::vector<uint8_t>{191, 121, 172, 96, 42, 0});
  const Quantized positive = quantized({1, 2.1f, 1.3f, 2.5f, 3.34f, 4, 1.5f, 2.6f, 3.9f, 4, 3, 2.345f});
  CHECK(positive.zero == 0);
  CHECK(positive.y == std::vector<uint8_t>{64, 134, 83, 159, 213, 255, 96, 166, 249, 255, 191, 149});
}

TEST_CASE("DynamicQuantize has defined results for zeros, no elements, NaN and infinity") {
  for (const std::vector<float>& x : {std::vector<float>{}, {0, 0}, {-0.0f}}) {
    const Quantized zeros = quantized(x);
    CHECK(zeros.scale == 1);
    CHECK(zeros.zero == 0);
    CHECK(zeros.y == std::vector<uint8_t>(x.size()));
    check_fast_quantization(x);
  }
  const Quantized nan = quantized({kNan, 3, -1});
  CHECK(nan.zero == 64);
  CHECK(nan.y == std::vector<uint8_t>{64, 255, 0});
  for (const std::vector<float>& x :
       {std::vector<float>{kNan, 1, -1}, {kInf, 1}, {-kInf, kInf, kNan}, {3e38f, -3e38f, 1}, {1e-45f, 0}, {-1e-45f}})
    check_fast_quantization(x);
}

TEST_CASE("Every kernel of DynamicQuantize returns the bytes of the reference") {
  std::mt19937 generator(1);
  for (const int64_t count : {1, 2, 3, 7, 15, 16, 17, 31, 33, 64, 100, 1000, 40000, 70001})
    for (const auto& [low, high] : {std::pair{-1.0f, 1.0f}, {-3.0f, -1.0f}, {0.25f, 9.0f}, {-1e-3f, 2e3f}})
      check_fast_quantization(random_tensor(generator, {count}, low, high).values<float>());
}

}  // namespace nestrt::test
