// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <type_traits>

#include "test/support/kernel/exact.h"
#include "test/support/kernel/float_values.h"
#include "test/support/kernel/kernel_runner.h"

namespace nestrt::test {
namespace {

using UnaryKind = ops::UnaryKind;

OperatorCase unary_case(UnaryKind kind, const TestTensor& input, float alpha = 0, float beta = 0) {
  ops::Unary table;
  table.kind = kind;
  table.alpha = alpha;
  table.beta = beta;
  OperatorCase c(table);
  c.input(input);
  if (const auto specs = c.infer()) c.output((*specs)[0].type, (*specs)[0].shape, input.layout);
  return c;
}

// Returns the output for a single element.
float value(UnaryKind kind, float x, float alpha = 0, float beta = 0) {
  return reference(unary_case(kind, tensor({1}, std::vector<float>{x}), alpha, beta))[0].values<float>()[0];
}

bool is_f32_kind(UnaryKind kind) {
  return !ops::name(kind).empty() && kind != UnaryKind::kLogicalNot && kind != UnaryKind::kIsNan &&
         kind != UnaryKind::kIsInf && kind != UnaryKind::kBitwiseNot;
}

void check_fast_kernels(UnaryKind kind, const TestTensor& plain, Layout layout, float alpha = 0.75f) {
  const TestTensor expected = reference(unary_case(kind, plain, alpha, 1.25f))[0];
  const OperatorCase c = unary_case(kind, with_layout(plain, layout), alpha, 1.25f);
  for_each_fast_kernel(c, [&](const std::string& what, const std::vector<TestTensor>& outputs) {
    INFO(ops::name(kind) << ", " << what << ", " << plain.shape.to_string() << " " << name(layout));
    CHECK(relative_error(outputs[0], expected) < 5e-7);
  });
}

}  // namespace

TEST_CASE("Unary activations have the values of the ONNX specification") {
  CHECK(value(UnaryKind::kRelu, -3) == 0);
  CHECK(value(UnaryKind::kClip, 3, -1, 2) == 2);
  CHECK(value(UnaryKind::kLeakyRelu, -2, 0.1f) == Approx(-0.2));
  CHECK(value(UnaryKind::kHardSigmoid, 1, 0.2f, 0.5f) == Approx(0.7));
  CHECK(value(UnaryKind::kHardSwish, 1) == Approx(2.0 / 3));
  CHECK(value(UnaryKind::kSigmoid, 1) == Approx(0.7310585786));
  CHECK(value(UnaryKind::kSilu, 1) == Approx(0.7310585786));
  CHECK(value(UnaryKind::kElu, -1, 2) == Approx(2 * (std::exp(-1.0) - 1)));
  CHECK(value(UnaryKind::kSelu, -1, 2, 3) == Approx(6 * (std::exp(-1.0) - 1)));
  CHECK(value(UnaryKind::kSelu, 2, 2, 3) == 6);
  CHECK(value(UnaryKind::kCelu, -1, 2) == Approx(2 * (std::exp(-0.5) - 1)));
  CHECK(value(UnaryKind::kSoftplus, 1) == Approx(std::log(1 + std::exp(1.0))));
  CHECK(value(UnaryKind::kSoftplus, 1000) == 1000);
  CHECK(value(UnaryKind::kSoftsign, -3) == -0.75f);
  CHECK(value(UnaryKind::kThresholdedRelu, 2, 2) == 0);
  CHECK(value(UnaryKind::kThresholdedRelu, 2.5f, 2) == 2.5f);
  CHECK(value(UnaryKind::kShrink, -2, 1.5f, 0.5f) == -1.5f);
  CHECK(value(UnaryKind::kShrink, 2, 1.5f, 0.5f) == 1.5f);
  CHECK(value(UnaryKind::kShrink, 1, 1.5f, 0.5f) == 0);
  CHECK(value(UnaryKind::kGelu, 1) == Approx(0.8413447461));
  CHECK(value(UnaryKind::kGelu, 1, 1) == Approx(0.8411919906));
  CHECK(value(UnaryKind::kMish, 1) == Approx(0.8650983883));
}

TEST_CASE("Unary functions have the values of the standard library") {
  CHECK(value(UnaryKind::kAbs, -2.5f) == 2.5f);
  CHECK(value(UnaryKind::kNeg, -2.5f) == 2.5f);
  CHECK(value(UnaryKind::kExp, 1) == Approx(std::exp(1.0)));
  CHECK(value(UnaryKind::kLog, 2) == Approx(std::log(2.0)));
  CHECK(value(UnaryKind::kSqrt, 2) == Approx(std::sqrt(2.0)));
  CHECK(value(UnaryKind::kReciprocal, 4) == 0.25f);
  CHECK(value(UnaryKind::kErf, 0.5f) == Approx(std::erf(0.5)));
  CHECK(value(UnaryKind::kSign, -7) == -1);
  CHECK(value(UnaryKind::kFloor, -1.5f) == -2);
  CHECK(value(UnaryKind::kCeil, -1.5f) == -1);
  CHECK(value(UnaryKind::kRound, 2.5f) == 2);
  CHECK(value(UnaryKind::kRound, -1.5f) == -2);
  CHECK(value(UnaryKind::kSin, 1) == Approx(std::sin(1.0)));
  CHECK(value(UnaryKind::kCos, 1) == Approx(std::cos(1.0)));
  CHECK(value(UnaryKind::kTan, 1) == Approx(std::tan(1.0)));
  CHECK(value(UnaryKind::kAsin, 0.5f) == Approx(std::asin(0.5)));
  CHECK(value(UnaryKind::kAcos, 0.5f) == Approx(std::acos(0.5)));
  CHECK(value(UnaryKind::kAtan, 1) == Approx(std::atan(1.0)));
  CHECK(value(UnaryKind::kSinh, 1) == Approx(std::sinh(1.0)));
  CHECK(value(UnaryKind::kCosh, 1) == Approx(std::cosh(1.0)));
  CHECK(value(UnaryKind::kAsinh, 1) == Approx(std::asinh(1.0)));
  CHECK(value(UnaryKind::kAcosh, 2) == Approx(std::acosh(2.0)));
  CHECK(value(UnaryKind::kAtanh, 0.5f) == Approx(std::atanh(0.5)));
}

TEST_CASE("Unary predicates return booleans") {
  const TestTensor x = tensor({4}, std::vector<float>{kNan, kInf, -kInf, 1});
  const auto bits = [](const OperatorCase& c) { return reference(c)[0].values<uint8_t>(); };
  CHECK(bits(unary_case(UnaryKind::kIsNan, x)) == std::vector<uint8_t>{1, 0, 0, 0});
  CHECK(bits(unary_case(UnaryKind::kIsInf, x, 1, 1)) == std::vector<uint8_t>{0, 1, 1, 0});
  CHECK(bits(unary_case(UnaryKind::kIsInf, x, 0, 1)) == std::vector<uint8_t>{0, 1, 0, 0});
  CHECK(bits(unary_case(UnaryKind::kIsInf, x, 1, 0)) == std::vector<uint8_t>{0, 0, 1, 0});
  CHECK(bits(unary_case(UnaryKind::kLogicalNot, tensor_bool({3}, {0, 1, 9}))) == std::vector<uint8_t>{1, 0, 0});
}

TEST_CASE("Unary integer arithmetic wraps or saturates") {
  constexpr int32_t kMin = std::numeric_limits<int32_t>::min();
  const TestTensor x = tensor({3}, std::vector<int32_t>{kMin, -5, 7});
  const auto numbers = [](const OperatorCase& c) { return reference(c)[0].values<int32_t>(); };
  CHECK(numbers(unary_case(UnaryKind::kNeg, x)) == std::vector<int32_t>{kMin, 5, -7});
  CHECK(numbers(unary_case(UnaryKind::kAbs, x)) == std::vector<int32_t>{kMin, 5, 7});
  CHECK(numbers(unary_case(UnaryKind::kSign, x)) == std::vector<int32_t>{-1, -1, 1});
  CHECK(numbers(unary_case(UnaryKind::kRelu, x)) == std::vector<int32_t>{0, 0, 7});
  CHECK(numbers(unary_case(UnaryKind::kClip, x, -6, kInf)) == std::vector<int32_t>{-6, -5, 7});
  const TestTensor wide = tensor({2}, std::vector<int64_t>{-5000000000, 5000000000});
  CHECK(reference(unary_case(UnaryKind::kAbs, wide))[0].values<int64_t>() ==
        std::vector<int64_t>{5000000000, 5000000000});
}

TEST_CASE("Fast unary kernels agree with the reference in every layout") {
  std::mt19937 generator(11);
  for (int k = 0; k <= std::numeric_limits<std::underlying_type_t<UnaryKind>>::max(); ++k) {
    const UnaryKind kind = static_cast<UnaryKind>(k);
    if (!is_f32_kind(kind)) continue;
    for (const Shape& shape : {Shape{1, 1, 1, 1}, Shape{1, 19, 3, 3}, Shape{2, 16, 7}})
      for (Layout layout : {Layout::kPlain, Layout::kBlocked16, Layout::kBlocked32})
        check_fast_kernels(kind, random_tensor(generator, shape, -6, 6), layout);
  }
  check_fast_kernels(UnaryKind::kGelu, random_tensor(generator, {1000}, -6, 6), Layout::kPlain, 0);
  check_fast_kernels(UnaryKind::kSigmoid, random_tensor(generator, {3, 41, 501}, -6, 6), Layout::kPlain);
}

TEST_CASE("Fast unary kernels equal the reference for special values") {
  const std::vector<float> special = {0,   -0.0f, kInf, -kInf, kNan, 3e38f, -3e38f, 1e-45f, -1e-45f, 1e-38f,
                                      100, -100,  88,   -88,   0.5f, -0.5f, 2.5f,   0.75f,  1.25f};
  for (int k = 0; k <= std::numeric_limits<std::underlying_type_t<UnaryKind>>::max(); ++k) {
    const UnaryKind kind = static_cast<UnaryKind>(k);
    if (is_f32_kind(kind)) check_fast_kernels(kind, tensor({19}, special), Layout::kPlain);
  }
}

TEST_CASE("Fast elu and selu are accurate near zero") {
  std::vector<float> x;
  for (float v = 1e-30f; v < 1; v *= 1.7f) x.push_back(-v);
  const TestTensor input = tensor({static_cast<int64_t>(x.size())}, x);
  for (UnaryKind kind : {UnaryKind::kElu, UnaryKind::kSelu}) {
    const TestTensor expected = reference(unary_case(kind, input, 0.75f, 1.25f))[0];
    const std::vector<float> want = expected.values<float>();
    for_each_fast_kernel(unary_case(kind, input, 0.75f, 1.25f),
                         [&](const std::string& what, const std::vector<TestTensor>& outputs) {
                           const std::vector<float> got = outputs[0].values<float>();
                           for (size_t i = 0; i < x.size(); ++i) {
                             INFO(ops::name(kind) << ", " << what << ", at " << x[i]);
                             CHECK(std::abs(got[i] - want[i]) <= 1e-6f * std::abs(want[i]));
                           }
                         });
  }
}

TEST_CASE("Fast sine, cosine and tangent support angles of any size") {
  const TestTensor angles = tensor({7}, std::vector<float>{8191, -8192.5f, 1e5f, -3e7f, 1e20f, 3e38f, 0.25f});
  for (UnaryKind kind : {UnaryKind::kSin, UnaryKind::kCos, UnaryKind::kTan})
    check_fast_kernels(kind, angles, Layout::kPlain);
}

TEST_CASE("Fast unary functions are bit-identical for any number of threads") {
  std::mt19937 generator(14);
  const TestTensor x = random_tensor(generator, {101, 1003}, -9000, 9000);
  for (UnaryKind kind :
       {UnaryKind::kLog, UnaryKind::kSin, UnaryKind::kTan, UnaryKind::kAtan, UnaryKind::kSoftplus, UnaryKind::kMish}) {
    const OperatorCase c = unary_case(kind, x);
    for (int threads : {2, 3, 5})
      CHECK(c.run("unary.f32.functions", threads)[0].bytes == c.run("unary.f32.functions", 1)[0].bytes);
  }
}

TEST_CASE("Fast softplus and mish are accurate far below zero") {
  std::vector<float> x;
  for (float v = 1; v < 80; v *= 1.1f) x.push_back(-v);
  const TestTensor input = tensor({static_cast<int64_t>(x.size())}, x);
  for (UnaryKind kind : {UnaryKind::kSoftplus, UnaryKind::kMish}) {
    const std::vector<float> want = reference(unary_case(kind, input))[0].values<float>();
    for_each_fast_kernel(unary_case(kind, input), [&](const std::string& what, const std::vector<TestTensor>& outputs) {
      const std::vector<float> got = outputs[0].values<float>();
      for (size_t i = 0; i < x.size(); ++i) {
        INFO(ops::name(kind) << ", " << what << ", at " << x[i]);
        CHECK(std::abs(got[i] - want[i]) <= 1e-6f * std::abs(want[i]));
      }
    });
  }
}

TEST_CASE("Fast unary kernels of integers equal the reference") {
  std::mt19937 generator(13);
  for (UnaryKind kind :
       {UnaryKind::kRelu, UnaryKind::kClip, UnaryKind::kAbs, UnaryKind::kNeg, UnaryKind::kSign, UnaryKind::kBitwiseNot})
    for (DataType type : {DataType::kS32, DataType::kS64})
      for (int64_t length : {1, 19, 70000})
        for (const auto& [low, high] : {std::pair(-1e9f, 2e9f), {-kInf, kInf}, {5.0f, -5.0f}}) {
          TestTensor x = random_bytes(generator, type, {length});
          if (length > 9) std::memset(x.bytes.data(), 0, 9);  // includes 0
          if (length > 9) x.bytes[15] = std::byte{0x80};
          const OperatorCase c = unary_case(kind, x, low, high);
          INFO(ops::name(kind) << " " << name(type) << " " << length);
          check_exact(c, reference(c)[0], "unary.integers");
        }
}

TEST_CASE("Fast unary predicates equal the reference") {
  std::mt19937 generator(12);
  for (int64_t length : {1, 19, 70000}) {
    TestTensor x = random_bytes(generator, DataType::kF32, {length});
    std::vector<float> values = x.values<float>();
    for (size_t i = 0; i + 3 < values.size(); i += 5) values[i] = kInf, values[i + 1] = -kInf, values[i + 2] = kNan;
    x = tensor({length}, values);
    for (const auto& [negative, positive] : {std::pair(0.0f, 1.0f), {1.0f, 0.0f}, {1.0f, 1.0f}}) {
      const OperatorCase c = unary_case(UnaryKind::kIsInf, x, negative, positive);
      check_exact(c, reference(c)[0], "unary.tests");
    }
    for (const OperatorCase& c :
         {unary_case(UnaryKind::kIsNan, x),
          unary_case(UnaryKind::kLogicalNot, random_bytes(generator, DataType::kBool, {length}))})
      check_exact(c, reference(c)[0], "unary.tests");
  }
}

TEST_CASE("Unary rejects kinds and types that do not fit") {
  const TestTensor x = tensor({1}, std::vector<int64_t>{1});
  CHECK(unary_case(UnaryKind::kExp, x).infer().error().message().find("exp does not support s64") !=
        std::string_view::npos);
  CHECK(!unary_case(UnaryKind::kLogicalNot, x).infer().has_value());
  CHECK(!unary_case(UnaryKind::kRelu, tensor_bool({1}, {1})).infer().has_value());
  ops::Unary table;
  OperatorCase two(table);
  two.input(x).input(x);
  CHECK(two.infer().error().message().find("2 inputs") != std::string_view::npos);
}

TEST_CASE("Relu and clip of quantized tensors use real bounds") {
  const auto mapped = [](ops::UnaryKind kind, float alpha, float beta) {
    ops::Unary table;
    table.kind = kind;
    table.alpha = alpha;
    table.beta = beta;
    OperatorCase c(table);
    c.input(with_exponent(tensor_s8({4}, {-100, -1, 1, 100}), 4)).output_s8({4}, 4);
    CHECK(infer_error(c).empty());
    check_exact(c, reference(c)[0], "unary.s8.bounds");
    return reference(c)[0].values<int8_t>();
  };
  CHECK(mapped(ops::UnaryKind::kRelu, 0, 0) == std::vector<int8_t>{0, 0, 1, 100});
  CHECK(mapped(ops::UnaryKind::kClip, -1, 6) == std::vector<int8_t>{-16, -1, 1, 96});
  ops::Unary negate;
  negate.kind = ops::UnaryKind::kNeg;
  OperatorCase c(negate);
  c.input(with_exponent(tensor_s8({1}, {1}), 4)).output_s8({1}, 4);
  CHECK_THAT(infer_error(c), Catch::Contains("neg does not support quantized tensors"));
}

}  // namespace nestrt::test
