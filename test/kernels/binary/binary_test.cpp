// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "test/support/kernel/exact.h"
#include "test/support/kernel/float_values.h"
#include "test/support/kernel/kernel_runner.h"
#include "test/support/test_level.h"

namespace nestrt::test {
namespace {

using Kind = ops::BinaryKind;

// Returns a case whose output is the result of infer(), or without an output if infer() rejects the operands.
OperatorCase binary_case(Kind kind, const TestTensor& a, const TestTensor& b, Layout layout = Layout::kPlain,
                         ops::Activation activation = {}) {
  ops::Binary table;
  table.kind = kind;
  table.activation = activation;
  OperatorCase c(table);
  c.input(a).input(b);
  if (const auto specs = c.infer()) c.output((*specs)[0].type, (*specs)[0].shape, layout);
  return c;
}

std::string infer_error(Kind kind, const TestTensor& a, const TestTensor& b, ops::Activation activation = {}) {
  return std::string(binary_case(kind, a, b, Layout::kPlain, activation).infer().error().message());
}

TestTensor plain(TestTensor tensor) {
  tensor.layout = Layout::kPlain;
  return tensor;
}

constexpr Kind kFastKinds[] = {Kind::kAdd, Kind::kSub, Kind::kMul, Kind::kDiv, Kind::kMin, Kind::kMax, Kind::kPrelu};

// Compares the fast kernels with the reference. Fails if none accepts the case.
void check_fast_kernels(Kind kind, const TestTensor& a, const TestTensor& b, Layout layout,
                        ops::Activation activation = {}) {
  const TestTensor expected = reference(binary_case(kind, plain(a), plain(b), Layout::kPlain, activation))[0];
  int runs = 0;
  for_each_fast_kernel(binary_case(kind, a, b, layout, activation),
                       [&](const std::string& what, const std::vector<TestTensor>& outputs) {
                         INFO(ops::name(kind) << ", " << what << ", " << a.shape.to_string() << " and "
                                              << b.shape.to_string() << ", " << name(layout));
                         CHECK(relative_error(outputs[0], expected) < 5e-7);
                         ++runs;
                       });
  CHECK(runs > 0);
}

}  // namespace

TEST_CASE("Binary f32 arithmetic has the expected values") {
  const TestTensor a = tensor({4}, std::vector<float>{7, -7, 2, -3}), b = tensor({4}, std::vector<float>{2, 2, -4, 3});
  const auto value = [&](Kind kind) { return reference(binary_case(kind, a, b))[0].values<float>(); };
  CHECK(value(Kind::kAdd) == std::vector<float>{9, -5, -2, 0});
  CHECK(value(Kind::kSub) == std::vector<float>{5, -9, 6, -6});
  CHECK(value(Kind::kMul) == std::vector<float>{14, -14, -8, -9});
  CHECK(value(Kind::kDiv) == std::vector<float>{3.5f, -3.5f, -0.5f, -1});
  CHECK(value(Kind::kPow) == std::vector<float>{49, 49, 0.0625f, -27});
  CHECK(value(Kind::kMin) == std::vector<float>{2, -7, -4, -3});
  CHECK(value(Kind::kMax) == std::vector<float>{7, 2, 2, 3});
  CHECK(value(Kind::kPrelu) == std::vector<float>{7, -14, 2, -9});
  CHECK(value(Kind::kFmod) == std::vector<float>{1, -1, 2, 0});
}

TEST_CASE("Binary comparisons give booleans, false for NaN") {
  const TestTensor a = tensor({4}, std::vector<float>{1, 2, 3, kNan}),
                   b = tensor({4}, std::vector<float>{2, 2, 2, kNan});
  const auto value = [&](Kind kind) { return reference(binary_case(kind, a, b))[0].values<uint8_t>(); };
  CHECK(value(Kind::kEqual) == std::vector<uint8_t>{0, 1, 0, 0});
  CHECK(value(Kind::kLess) == std::vector<uint8_t>{1, 0, 0, 0});
  CHECK(value(Kind::kLessOrEqual) == std::vector<uint8_t>{1, 1, 0, 0});
  CHECK(value(Kind::kGreater) == std::vector<uint8_t>{0, 0, 1, 0});
  CHECK(value(Kind::kGreaterOrEqual) == std::vector<uint8_t>{0, 1, 1, 0});
}

TEST_CASE("Binary logic treats every byte except 0 as true") {
  const TestTensor a = tensor_bool({4}, {0, 0, 1, 2}), b = tensor_bool({4}, {0, 3, 0, 1});
  const auto value = [&](Kind kind) { return reference(binary_case(kind, a, b))[0].values<uint8_t>(); };
  CHECK(value(Kind::kLogicalAnd) == std::vector<uint8_t>{0, 0, 0, 1});
  CHECK(value(Kind::kLogicalOr) == std::vector<uint8_t>{0, 1, 1, 1});
  CHECK(value(Kind::kLogicalXor) == std::vector<uint8_t>{0, 1, 1, 0});
  CHECK(value(Kind::kEqual) == std::vector<uint8_t>{1, 0, 0, 1});
}

TEST_CASE("Binary integer arithmetic wraps, truncates and divides by zero without a fault") {
  constexpr int64_t kMin = std::numeric_limits<int64_t>::min(), kMax = std::numeric_limits<int64_t>::max();
  const auto value = [](Kind kind, const std::vector<int64_t>& a, const std::vector<int64_t>& b) {
    const Shape shape{static_cast<int64_t>(a.size())};
    return reference(binary_case(kind, tensor(shape, a), tensor(shape, b)))[0].values<int64_t>();
  };
  using Values = std::vector<int64_t>;
  CHECK(value(Kind::kAdd, {kMax, 1}, {1, 2}) == Values{kMin, 3});
  CHECK(value(Kind::kSub, {kMin, 1}, {1, 2}) == Values{kMax, -1});
  CHECK(value(Kind::kMul, {kMax, -3}, {2, 4}) == Values{-2, -12});
  CHECK(value(Kind::kDiv, {-7, 7, 5, kMin}, {2, -2, 0, -1}) == Values{-3, -3, 0, kMin});
  CHECK(value(Kind::kMod, {-7, 7, 5, kMin, -6}, {3, -3, 0, -1, 3}) == Values{2, -2, 0, 0, 0});
  CHECK(value(Kind::kFmod, {-7, 7, 5, kMin}, {3, -3, 0, -1}) == Values{-1, 1, 0, 0});
  CHECK(value(Kind::kPow, {2, -3, 2, -1, 1, 0, 0}, {62, 3, -1, -3, -9, 0, -1}) ==
        Values{int64_t{1} << 62, -27, 0, -1, 1, 1, 0});
  CHECK(value(Kind::kPrelu, {-2, 3}, {5, 5}) == Values{-10, 3});
  const TestTensor least = tensor({1}, std::vector<int32_t>{std::numeric_limits<int32_t>::min()});
  CHECK(reference(binary_case(Kind::kMul, least, least))[0].values<int32_t>()[0] == 0);
}

TEST_CASE("Binary broadcasts like NumPy, up to eight dimensions") {
  const TestTensor a = tensor({2, 1, 2}, std::vector<float>{1, 2, 3, 4}),
                   b = tensor({3, 1}, std::vector<float>{10, 20, 30});
  const OperatorCase c = binary_case(Kind::kAdd, a, b);
  CHECK((*c.infer())[0].shape == Shape{2, 3, 2});
  CHECK(reference(c)[0].values<float>() == std::vector<float>{11, 12, 21, 22, 31, 32, 13, 14, 23, 24, 33, 34});
  const TestTensor deep = tensor({2, 1, 2, 1, 1, 1, 1, 2}, std::vector<float>{1, 2, 3, 4, 5, 6, 7, 8});
  const OperatorCase eight = binary_case(Kind::kMul, tensor({3, 1, 1, 1}, std::vector<float>{1, 10, 100}), deep);
  CHECK((*eight.infer())[0].shape == Shape{2, 1, 2, 1, 3, 1, 1, 2});
  const std::vector<float> y = reference(eight)[0].values<float>();
  CHECK(std::vector<float>(y.begin(), y.begin() + 8) == std::vector<float>{1, 2, 10, 20, 100, 200, 3, 4});
}

TEST_CASE("Binary of an empty tensor is empty") {
  const OperatorCase c =
      binary_case(Kind::kAdd, tensor({0, 3}, std::vector<float>{}), tensor({1}, std::vector<float>{1}));
  CHECK((*c.infer())[0].shape == Shape{0, 3});
  CHECK(reference(c)[0].bytes.empty());
}

TEST_CASE("Fast binary kernels agree with the reference on plain tensors") {
  std::mt19937 generator(21);
  const std::pair<Shape, Shape> shapes[] = {
      {{1, 19, 3, 3}, {1, 19, 3, 3}},
      {{2, 5, 7}, {1}},
      {Shape(), {2, 5, 7}},
      {{2, 19, 5, 5}, {1, 19, 1, 1}},
      {{2, 19, 5, 5}, {19, 1, 1}},
      {{3, 1, 17}, {2, 1}},
      {{4, 33}, {33}},
      {{1, 40000}, {1, 40000}},
      {{1, 3, 1, 2, 5}, {2, 1, 4, 1, 5}},
      {Shape(), Shape()},
      {{2, 3, 170, 31}, {3, 1, 1}},
      {{300, 4}, {4}},
      {{7, 50, 3}, {7, 50, 1}},
      {{5, 1, 3, 2}, {4, 1, 2}},
  };
  for (Kind kind : kFastKinds) {
    for (const auto& [a, b] : shapes) {
      check_fast_kernels(kind, random_tensor(generator, a, 0.5, 3), random_tensor(generator, b, -3, -0.5),
                         Layout::kPlain);
    }
  }
}

TEST_CASE("Fast binary kernels agree with the reference on blocked tensors") {
  std::mt19937 generator(22);
  for (Layout layout : {Layout::kBlocked16, Layout::kBlocked32}) {
    for (const Shape& shape : {Shape{1, 19, 3, 3}, Shape{2, 40, 1, 1}, Shape{3, 16, 101}, Shape{2, 33, 30, 31}}) {
      if (shape.num_elements() > 10'000 && test_level() == TestLevel::kQuick) continue;
      const TestTensor x = with_layout(random_tensor(generator, shape, -3, 3), layout);
      const TestTensor same = with_layout(random_tensor(generator, shape, 0.5, 2), layout);
      Shape pixel = shape, channels = shape;
      for (int axis = 2; axis < shape.rank(); ++axis) pixel[axis] = channels[axis] = 1;
      channels[0] = 1;
      const TestTensor one_pixel = with_layout(random_tensor(generator, pixel, 0.5, 2), layout);
      const TestTensor constant = as_constant(random_tensor(generator, channels, 0.5, 2));
      const TestTensor scalar = tensor(Shape(), std::vector<float>{1.75f});
      for (Kind kind : kFastKinds) {
        for (const TestTensor& other : {same, one_pixel, constant, scalar}) {
          check_fast_kernels(kind, x, other, layout);
          check_fast_kernels(kind, other, x, layout);
        }
      }
    }
  }
}

TEST_CASE("Fast binary kernels apply every activation") {
  std::mt19937 generator(23);
  const TestTensor a = random_tensor(generator, {2, 19, 9, 9}, -4, 4),
                   b = random_tensor(generator, {2, 19, 9, 9}, -4, 4);
  for (int kind = 0; !ops::name(static_cast<ops::ActivationKind>(kind)).empty(); ++kind) {
    const ops::Activation activation{static_cast<ops::ActivationKind>(kind), 0.25f, 0.75f};
    check_fast_kernels(Kind::kAdd, a, b, Layout::kPlain, activation);
    check_fast_kernels(Kind::kMul, a, tensor({1}, std::vector<float>{2}), Layout::kPlain, activation);
    check_fast_kernels(Kind::kAdd, with_layout(a, Layout::kBlocked16), with_layout(b, Layout::kBlocked16),
                       Layout::kBlocked16, activation);
  }
}

TEST_CASE("Fast binary kernels equal the reference for special values") {
  const std::vector<float> special = {0, -0.0f, kInf, -kInf, kNan, 3e38f, -3e38f, 1e-45f, 1, -1};
  std::vector<float> left, right;
  for (float a : special) {
    for (float b : special) {
      left.push_back(a);
      right.push_back(b);
    }
  }
  for (Kind kind : kFastKinds) {
    check_fast_kernels(kind, tensor({100}, left), tensor({100}, right), Layout::kPlain);
    check_fast_kernels(kind, tensor({10, 1}, special), tensor({10}, special), Layout::kPlain);
  }
}

TEST_CASE("Fast pow agrees with the reference") {
  std::mt19937 generator(24);
  const TestTensor base = random_tensor(generator, {3, 41, 501}, 0, 40),
                   exponent = random_tensor(generator, {3, 41, 501}, -9, 9);
  check_fast_kernels(Kind::kPow, base, exponent, Layout::kPlain);
  check_fast_kernels(Kind::kPow, base, tensor({1}, std::vector<float>{1.5f}), Layout::kPlain);
  check_fast_kernels(Kind::kPow, tensor({1}, std::vector<float>{10}), exponent, Layout::kPlain);
  check_fast_kernels(Kind::kPow, random_tensor(generator, {9, 1, 5}, 0, 3), random_tensor(generator, {4, 1}, -3, 3),
                     Layout::kPlain, {ops::ActivationKind::kRelu});
}

TEST_CASE("Fast mod and fmod equal the reference bit for bit") {
  std::mt19937 generator(28);
  const std::vector<float> special = {0, -0.0f, kInf, -kInf, kNan, 3e38f, -3e38f, 1e-45f, 1, -1, 0.5f, 7, -7, 1e10f};
  std::vector<float> left, right;
  for (float a : special)
    for (float b : special) left.push_back(a), right.push_back(b);
  const auto pairs = static_cast<int64_t>(left.size());
  for (Kind kind : {Kind::kMod, Kind::kFmod}) {
    const OperatorCase cases[] = {
        binary_case(kind, tensor({pairs}, left), tensor({pairs}, right)),
        binary_case(kind, random_tensor(generator, {41, 501}, -900, 900), random_tensor(generator, {501}, -3, 3)),
        binary_case(kind, random_tensor(generator, {41, 501}, -1e7, 1e7), tensor({1}, std::vector<float>{0.37f})),
        binary_case(kind, random_bytes(generator, DataType::kF32, {9000}),
                    random_bytes(generator, DataType::kF32, {9000}))};
    for (const OperatorCase& c : cases) {
      const std::vector<float> want = reference(c)[0].values<float>();
      for_each_fast_kernel(c, [&](const std::string& what, const std::vector<TestTensor>& outputs) {
        INFO(ops::name(kind) << ", " << what);
        const std::vector<float> got = outputs[0].values<float>();
        CHECK(
            std::ranges::equal(got, want, [](float a, float b) { return a == b || (std::isnan(a) && std::isnan(b)); }));
      });
    }
  }
}

TEST_CASE("Fast pow is bit-identical for any number of threads") {
  std::mt19937 generator(27);
  const OperatorCase c =
      binary_case(Kind::kPow, random_tensor(generator, {101, 1003}, -1, 40), random_tensor(generator, {1003}, -3, 3));
  for (int threads : {2, 3, 5}) {
    const TestTensor one = c.run("binary.f32.functions", 1)[0], several = c.run("binary.f32.functions", threads)[0];
    CHECK(one.bytes == several.bytes);
  }
}

TEST_CASE("Fast pow with a constant exponent agrees with the reference, also for special values") {
  const TestTensor special = tensor({17}, std::vector<float>{0, -0.0f, kInf, -kInf, kNan, 3e38f, -3e38f, 1e-45f,
                                                             -1e-45f, 1, -1, 2, -2, 7, -7, 0.5f, 1e-38f});
  std::mt19937 generator(25);
  const TestTensor x = random_tensor(generator, {37, 53}, 0, 90);
  for (float exponent : {0.0f, 1.0f, 2.0f, 3.0f, 4.0f, -1.0f, -2.0f, 0.5f, -0.5f, 1.5f, 0.3333333f, kInf, kNan}) {
    const TestTensor constant = as_constant(tensor(Shape(), std::vector<float>{exponent}));
    check_fast_kernels(Kind::kPow, special, constant, Layout::kPlain);
    check_fast_kernels(Kind::kPow, x, constant, Layout::kPlain);
  }
}

TEST_CASE("Fast comparisons, logic and integer arithmetic equal the reference") {
  std::mt19937 generator(26);
  const std::pair<Shape, Shape> shapes[] = {{{2, 5, 7}, {2, 5, 7}}, {{70000}, {1}},        {Shape(), {3, 300}},
                                            {{300, 3}, {3}},        {{40, 1, 3}, {5, 3}},  {{6, 1}, {100}},
                                            {{0, 3}, {1}},          {{9, 2, 1}, {9, 1, 2}}};
  for (int k = 0; k <= static_cast<int>(Kind::kShiftRight); ++k)
    for (DataType type : {DataType::kF32, DataType::kS32, DataType::kS64, DataType::kBool})
      for (const auto& [a, b] : shapes) {
        const auto values = [&](const Shape& shape) {
          // Uses few values, so that some elements are equal.
          const TestTensor few = random_tensor(generator, shape, -3, 3);
          const std::vector<float> numbers = few.values<float>();
          const std::vector<int64_t> integers(numbers.begin(), numbers.end());
          if (type == DataType::kS64 && shape.num_elements() % 2 == 0) return tensor(shape, integers);
          return type == DataType::kF32 && shape.num_elements() % 2 == 0 ? few : random_bytes(generator, type, shape);
        };
        const OperatorCase c = binary_case(static_cast<Kind>(k), values(a), values(b));
        if (!c.infer() || c.variants() != std::vector<std::string>{"binary.reference", "binary.elements"}) continue;
        INFO(ops::name(static_cast<Kind>(k)) << " " << name(type) << " " << a.to_string() << " " << b.to_string());
        check_exact(c, reference(c)[0], "binary.elements");
      }
}

TEST_CASE("Binary rejects operands that do not fit") {
  const TestTensor f32 = tensor({2}, std::vector<float>{1, 2}), s64 = tensor({2}, std::vector<int64_t>{1, 2});
  const TestTensor three = tensor({3}, std::vector<float>{1, 2, 3});
  CHECK(infer_error(Kind::kAdd, f32, s64).find("Cast") != std::string::npos);
  CHECK(infer_error(Kind::kAdd, f32, three).find("broadcast") != std::string::npos);
  CHECK(infer_error(Kind::kBitwiseAnd, f32, f32).find("bitwise_and does not support f32") != std::string::npos);
  CHECK(infer_error(Kind::kLogicalAnd, f32, f32).find("f32") != std::string::npos);
  CHECK(infer_error(Kind::kAdd, tensor_bool({1}, {1}), tensor_bool({1}, {1})).find("bool") != std::string::npos);
  const ops::Activation relu{ops::ActivationKind::kRelu};
  CHECK(infer_error(Kind::kAdd, s64, s64, relu).find("activation") != std::string::npos);
}

TEST_CASE("Add of s8 tensors aligns their exponents") {
  ops::Binary add;
  OperatorCase c(add);
  c.input(with_exponent(tensor_s8({2, 2}, {10, -10, 127, -128}), 4));
  c.input(with_exponent(tensor_s8({1, 2}, {3, 100}), 6)).output_s8({2, 2}, 5);
  CHECK(infer_error(c).empty());
  // (4 a + b + 1) >> 1
  CHECK(reference(c)[0].values<int8_t>() == std::vector<int8_t>{22, 30, 127, -128});
}

TEST_CASE("Add of s8 tensors rejects other kinds, activations and shifts") {
  const auto refused = [](ops::Binary table, int exponent_a, int output) {
    OperatorCase c(std::move(table));
    c.input(with_exponent(tensor_s8({1}, {1}), exponent_a)).input(with_exponent(tensor_s8({1}, {1}), 0));
    c.output_s8({1}, output);
    return infer_error(c);
  };
  ops::Binary mul;
  mul.kind = ops::BinaryKind::kMul;
  CHECK_THAT(refused(mul, 0, 0), Catch::Contains("mul of s8 requires tensors with scales"));
  ops::Binary tanh;
  tanh.activation = {ops::ActivationKind::kTanh};
  CHECK_THAT(refused(tanh, 0, 0), Catch::Contains("activation tanh has no s8 form"));
  CHECK_THAT(refused(ops::Binary(), 21, 0), Catch::Contains("expected at most 20"));
  CHECK_THAT(refused(ops::Binary(), 0, 1), Catch::Contains("expected at most 20 and 0 to 31"));
}

TEST_CASE("An Add of tensors with scales adds their distances from the zero points") {
  ops::Binary add;
  OperatorCase c(add);
  c.input(with_scale(tensor_s8({1, 3}, {10, -5, 127}), 0.5f, 2)).input(with_scale(tensor_s8({2, 1}, {4, 0}), 2.0f, -4));
  c.output_s8c({2, 3}, 1.0f, 1);  // 4, -3.5, 62.5 plus 16 or 8
  CHECK(infer_error(c).empty());
  CHECK(reference(c)[0].values<int8_t>() == std::vector<int8_t>{21, 13, 79, 13, 5, 71});  // ties to even
  add.activation = {ops::ActivationKind::kRelu};
  OperatorCase relu(add);
  relu.input(with_scale(tensor_s8({1}, {-5}), 1.0f, 0)).input(with_scale(tensor_s8({1}, {2}), 1.0f, 0));
  relu.output_s8c({1}, 1.0f, -7);
  CHECK(reference(relu)[0].values<int8_t>() == std::vector<int8_t>{-7});
  OperatorCase fine{ops::Binary()};
  fine.input(with_scale(tensor_s8({1}, {1}), 1e9f, 0)).input(with_scale(tensor_s8({1}, {1}), 1.0f, 0));
  fine.output_s8c({1}, 1.0f, 0);
  CHECK_THAT(infer_error(fine), Catch::Contains("is too fine for operands of scales"));
}

}  // namespace nestrt::test
