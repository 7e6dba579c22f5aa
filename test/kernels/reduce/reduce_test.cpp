// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

#include "test/support/kernel/exact.h"
#include "test/support/kernel/float_values.h"
#include "test/support/kernel/kernel_runner.h"

namespace nestrt::test {
namespace {

using Kind = ops::ReduceKind;

// Returns a case whose output is the result of infer(), or without an output if infer() rejects the operands.
OperatorCase reduce_case(Kind kind, const TestTensor& input, const std::vector<int32_t>& axes, bool keep_dims = true) {
  ops::Reduce table;
  table.kind = kind;
  table.axes = axes;
  table.keep_dims = keep_dims;
  OperatorCase c(table);
  c.input(input);
  if (const auto specs = c.infer()) c.output((*specs)[0].type, (*specs)[0].shape);
  return c;
}

}  // namespace

TEST_CASE("Reduce supports every kind") {
  const TestTensor x = tensor({2, 2}, std::vector<float>{1, -2, 3, 4});
  const auto value = [&](Kind kind) { return reference(reduce_case(kind, x, {1}))[0].values<float>(); };
  CHECK(value(Kind::kMean) == std::vector<float>{-0.5f, 3.5f});
  CHECK(value(Kind::kSum) == std::vector<float>{-1, 7});
  CHECK(value(Kind::kMax) == std::vector<float>{1, 4});
  CHECK(value(Kind::kMin) == std::vector<float>{-2, 3});
  CHECK(value(Kind::kL1) == std::vector<float>{3, 7});
  CHECK(value(Kind::kL2) == std::vector<float>{std::sqrt(5.0f), 5});
  CHECK(value(Kind::kProd) == std::vector<float>{-2, 12});
  CHECK(value(Kind::kSumSquare) == std::vector<float>{5, 25});
  CHECK(value(Kind::kLogSum)[1] == Approx(std::log(7.0f)));
  CHECK(value(Kind::kLogSumExp)[1] == Approx(4.3132617f));
}

TEST_CASE("Reduce supports any axes and treats an empty list as all") {
  const TestTensor x = counting({2, 3, 2});
  CHECK(reference(reduce_case(Kind::kSum, x, {}))[0].values<float>() == std::vector<float>{78});
  CHECK(reference(reduce_case(Kind::kSum, x, {0, 2}))[0].values<float>() == std::vector<float>{18, 26, 34});
  CHECK(reference(reduce_case(Kind::kSum, x, {-2}))[0].values<float>() == std::vector<float>{9, 12, 27, 30});
  CHECK((*reduce_case(Kind::kSum, x, {0, 2}).infer())[0].shape == Shape{1, 3, 1});
  CHECK((*reduce_case(Kind::kSum, x, {0, 2}, false).infer())[0].shape == Shape{3});
  CHECK((*reduce_case(Kind::kSum, x, {}, false).infer())[0].shape == Shape());
}

TEST_CASE("Reduce of integers is exact and wraps") {
  const TestTensor x = tensor({4}, std::vector<int64_t>{int64_t{1} << 62, int64_t{1} << 62, 3, -8});
  CHECK(reference(reduce_case(Kind::kSum, x, {0}))[0].values<int64_t>()[0] == std::numeric_limits<int64_t>::max() - 4);
  const TestTensor small = tensor({3}, std::vector<int32_t>{-7, 2, 3});
  const auto value = [&](Kind kind) { return reference(reduce_case(kind, small, {0}))[0].values<int32_t>()[0]; };
  CHECK(value(Kind::kMean) == 0);
  CHECK(value(Kind::kProd) == -42);
  CHECK(value(Kind::kMax) == 3);
  CHECK(value(Kind::kMin) == -7);
}

TEST_CASE("Reduce propagates NaN and handles infinities") {
  const TestTensor x = tensor({2, 2}, std::vector<float>{NAN, 1, kInf, 1});
  const auto value = [&](Kind kind) { return reference(reduce_case(kind, x, {1}))[0].values<float>(); };
  CHECK(std::isnan(value(Kind::kMax)[0]));
  CHECK(std::isnan(value(Kind::kMin)[0]));
  CHECK(value(Kind::kLogSumExp)[1] == kInf);
  const TestTensor lowest = tensor({2}, std::vector<float>{-kInf, -kInf});
  CHECK(reference(reduce_case(Kind::kLogSumExp, lowest, {0}))[0].values<float>()[0] == -kInf);
}

TEST_CASE("Reduce of an empty set returns the neutral element") {
  const TestTensor x = tensor({2, 0}, std::vector<float>{});
  const auto value = [&](Kind kind) { return reference(reduce_case(kind, x, {1}))[0].values<float>()[1]; };
  CHECK(value(Kind::kSum) == 0);
  CHECK(value(Kind::kProd) == 1);
  CHECK(std::isnan(value(Kind::kMean)));
  CHECK(value(Kind::kMax) == -std::numeric_limits<float>::infinity());
}

TEST_CASE("Fast reductions agree with their reference") {
  std::mt19937 generator(3);
  for (const Shape& shape : {Shape{2, 3, 7, 7}, Shape{1, 65, 3, 3}, Shape{1, 2, 150, 151}, Shape{4, 1}, Shape{3, 33}}) {
    const TestTensor x = random_tensor(generator, shape, 0.5, 2);
    for (const std::vector<int32_t>& axes : {std::vector<int32_t>{}, {-1}, {0}, {-1, -2}, {0, 1}}) {
      const OperatorCase c = reduce_case(Kind::kMean, x, axes);
      const TestTensor expected = reference(c)[0];
      for_each_fast_kernel(c, [&](const std::string& what, const std::vector<TestTensor>& outputs) {
        INFO(what << " " << shape.to_string());
        CHECK(relative_error(outputs[0], expected) < 1e-6);
      });
    }
  }
}

TEST_CASE("Fast reductions of every kind agree with their reference over any axes") {
  std::mt19937 generator(5);
  const std::pair<Shape, std::vector<int32_t>> cases[] = {
      {{3, 50, 37}, {1}},    {{3, 50, 300}, {1}},     {{2, 3, 4, 5}, {0, 2}}, {{2, 3, 4, 5}, {1, 3}},
      {{70, 5, 7}, {2}},     {{70, 5, 3}, {1}},       {{200, 13}, {1}},       {{9, 200, 3}, {1}},
      {{4, 300, 2}, {0, 1}}, {{6, 40, 5, 1}, {0, 2}}, {{5, 1, 1}, {1}},       {{1000}, {0}},
      {{130, 1, 2, 2}, {3}}, {{2, 66, 3, 4}, {0, 3}}, {{1, 1}, {}},           {{3, 17, 16}, {1, 0}}};
  for (int k = 0; !ops::name(static_cast<Kind>(k)).empty(); ++k)
    for (const auto& [shape, axes] : cases) {
      const Kind kind = static_cast<Kind>(k);
      const OperatorCase c = reduce_case(kind, random_tensor(generator, shape, 0.5, 1.5), axes);
      const TestTensor expected = reference(c)[0];
      for_each_fast_kernel(c, [&, &shape = shape](const std::string& what, const std::vector<TestTensor>& outputs) {
        INFO(ops::name(kind) << " " << what << " " << shape.to_string());
        const std::vector<float> got = outputs[0].values<float>(), want = expected.values<float>();
        for (size_t i = 0; i < want.size(); ++i) CHECK(std::abs(got[i] - want[i]) <= 1e-6f * std::abs(want[i]) + 1e-6f);
      });
    }
}

TEST_CASE("Fast reductions treat NaN, infinities and numbers near the limits as the reference does") {
  const std::vector<float> special = {kNan, kInf, -kInf, 1e37f, 1e-45f, -0.0f, 3e37f, 2, -1};
  std::mt19937 generator(6);
  for (const Shape& shape : {Shape{300, 40}, Shape{40, 300}, Shape{200, 5}, Shape{5, 200}}) {
    std::vector<float> x = random_tensor(generator, shape, -1, 1).values<float>();
    for (size_t i = 0; i < x.size(); i += 1 + generator() % 60) x[i] = special[generator() % special.size()];
    for (int k = 0; !ops::name(static_cast<Kind>(k)).empty(); ++k)
      for (int32_t axis : {0, 1}) {
        const OperatorCase c = reduce_case(static_cast<Kind>(k), tensor(shape, x), {axis});
        const TestTensor expected = reference(c)[0];
        for_each_fast_kernel(c, [&](const std::string& what, const std::vector<TestTensor>& outputs) {
          INFO(ops::name(static_cast<Kind>(k)) << " " << what << " " << shape.to_string() << " axis " << axis);
          CHECK(relative_error(outputs[0], expected) < 1e-6);
        });
      }
  }
}

TEST_CASE("Fast reductions are bit-identical for any number of threads") {
  std::mt19937 generator(8);
  for (const auto& [shape, axes] : {std::pair<Shape, std::vector<int32_t>>{{70, 9, 901}, {1}},
                                    {{901, 70, 9}, {2}},
                                    {{700, 9, 90}, {0, 2}},
                                    {{9000, 70}, {1}}})
    for (Kind kind : {Kind::kMean, Kind::kL2, Kind::kProd, Kind::kLogSumExp, Kind::kMax}) {
      const OperatorCase c = reduce_case(kind, random_tensor(generator, shape), axes);
      INFO(ops::name(kind) << " " << shape.to_string());
      for (int threads : {2, 3, 5})
        CHECK(same_elements(c.run("reduce.f32.fold", threads), c.run("reduce.f32.fold", 1)));
    }
}

TEST_CASE("Fast integer reductions equal the reference") {
  std::mt19937 generator(7);
  const std::pair<Shape, std::vector<int32_t>> cases[] = {
      {{3, 50, 37}, {1}}, {{3, 5, 300}, {1}}, {{2, 3, 4, 5}, {0, 2}}, {{70, 5, 7}, {2}}, {{1000}, {0}}, {{5, 1}, {1}}};
  for (Kind kind : {Kind::kSum, Kind::kMean, Kind::kMax, Kind::kMin, Kind::kProd})
    for (DataType type : {DataType::kS32, DataType::kS64})
      for (const auto& [shape, axes] : cases) {
        const OperatorCase c = reduce_case(kind, random_bytes(generator, type, shape), axes);
        INFO(ops::name(kind) << " " << name(type) << " " << shape.to_string());
        check_exact(c, reference(c)[0], "reduce.integers");
      }
}

TEST_CASE("Fast spatial means of blocked tensors agree with the reference") {
  std::mt19937 generator(4);
  for (const Shape& shape : {Shape{2, 19, 7, 7}, Shape{1, 16, 1, 1}, Shape{3, 40, 130}}) {
    const TestTensor x = random_tensor(generator, shape, 0.5, 2);
    const std::vector<int32_t> axes = shape.rank() == 4 ? std::vector<int32_t>{2, 3} : std::vector<int32_t>{-1};
    ops::Reduce table;
    table.axes = axes;
    for (bool keep_dims : {true, false}) {
      table.keep_dims = keep_dims;
      const TestTensor expected = reference(reduce_case(Kind::kMean, x, axes, keep_dims))[0];
      for (Layout layout : {Layout::kPlain, Layout::kBlocked16}) {
        OperatorCase c(table);
        c.input(with_layout(x, Layout::kBlocked16)).output(DataType::kF32, expected.shape, layout);
        CHECK(c.variants() == std::vector<std::string>{"reduce.f32.blocked"});
        for_each_fast_kernel(c, [&](const std::string& what, const std::vector<TestTensor>& outputs) {
          INFO(what << " " << shape.to_string() << " to " << name(layout));
          CHECK(relative_error(outputs[0], expected) < 1e-6);
        });
      }
    }
  }
}

TEST_CASE("Reduce rejects operands that do not fit") {
  const TestTensor x = counting({2, 2});
  CHECK(reduce_case(Kind::kSum, x, {2}).infer().error().message().find("axes") != std::string_view::npos);
  CHECK(reduce_case(Kind::kSum, x, {1, -1}).infer().error().message().find("twice") != std::string_view::npos);
  const TestTensor integers = tensor({2}, std::vector<int64_t>{1, 2});
  CHECK(reduce_case(Kind::kL2, integers, {0}).infer().error().message().find("l2") != std::string_view::npos);
}

}  // namespace nestrt::test
