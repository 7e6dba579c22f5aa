// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include <cmath>

#include "test/support/kernel/exact.h"
#include "test/support/kernel/float_values.h"
#include "test/support/test_level.h"

namespace nestrt::test {
namespace {

using Kind = ops::RecurrentKind;

constexpr ops::Activation kSigmoid{ops::ActivationKind::kSigmoid}, kTanh{ops::ActivationKind::kTanh};

ops::Recurrent recurrent(Kind kind) { return {.kind = kind, .gate = kSigmoid, .candidate = kTanh, .cell = kTanh}; }

int64_t gates(Kind kind) { return kind == Kind::kLstm ? 4 : kind == Kind::kGru ? 3 : 1; }

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

TEST_CASE("A plain recurrent layer adds its state, times the weights, to every input") {
  OperatorCase c(recurrent(Kind::kPlain));
  c.input(tensor({2, 1, 1}, std::vector<float>{1, -1})).input(tensor({1, 1}, std::vector<float>{0.5f}));
  c.output(DataType::kF32, {2, 1, 1});
  const std::vector<float> y = reference(c)[0].values<float>();
  CHECK(y[0] == Approx(std::tanh(1.0)));
  CHECK(y[1] == Approx(std::tanh(-1 + 0.5 * std::tanh(1.0))));
}

TEST_CASE("A reverse recurrent layer starts with the last input and the given state") {
  ops::Recurrent op = recurrent(Kind::kPlain);
  op.reverse = true;
  op.clip = 0.5f;
  OperatorCase c(op);
  c.input(tensor({2, 1, 1}, std::vector<float>{0, 9})).input(tensor({1, 1}, std::vector<float>{1}));
  c.input(absent()).input(tensor({1, 1}, std::vector<float>{0.25f})).output(DataType::kF32, {2, 1, 1});
  const std::vector<float> y = reference(c)[0].values<float>();
  CHECK(y[1] == Approx(std::tanh(0.5)));
  CHECK(y[0] == Approx(std::tanh(std::tanh(0.5))));
}

TEST_CASE("An LSTM stores its cell after the states and supports peepholes") {
  OperatorCase c(recurrent(Kind::kLstm));
  c.input(tensor({1, 1, 4}, std::vector<float>{0.1f, 0.2f, 0.3f, 0.4f}));
  c.input(tensor({1, 4}, std::vector<float>{1, 2, 3, 4})).input(absent());
  c.input(tensor({1, 1}, std::vector<float>{0.5f})).input(tensor({1, 1}, std::vector<float>{-0.5f}));
  c.input(tensor({3}, std::vector<float>{0.7f, 0.8f, 0.9f})).output(DataType::kF32, {2, 1, 1});
  const std::vector<float> y = reference(c)[0].values<float>();
  const double input = sigmoid(0.1 + 0.5 - 0.35), forget = sigmoid(0.3 + 1.5 - 0.45);
  const double cell = forget * -0.5 + input * std::tanh(0.4 + 2.0);
  CHECK(y[1] == Approx(cell));
  CHECK(y[0] == Approx(sigmoid(0.2 + 1.0 + 0.8 * cell) * std::tanh(cell)));
}

TEST_CASE("A GRU resets its state before or after the product") {
  const auto of = [](bool after) {
    ops::Recurrent op = recurrent(Kind::kGru);
    op.linear_before_reset = after;
    OperatorCase c(op);
    c.input(tensor({1, 1, 3}, std::vector<float>{0.1f, 0.2f, 0.3f}));
    c.input(tensor({1, 3}, std::vector<float>{1, 2, 3}));
    c.input(after ? tensor({1}, std::vector<float>{0.25f}) : absent());
    c.input(tensor({1, 1}, std::vector<float>{0.5f})).output(DataType::kF32, {1, 1, 1});
    return reference(c)[0].values<float>()[0];
  };
  const double update = sigmoid(0.1 + 0.5), reset = sigmoid(0.2 + 1.0);
  const auto state = [&](double candidate) { return (1 - update) * std::tanh(candidate) + update * 0.5; };
  CHECK(of(false) == Approx(state(0.3 + reset * 0.5 * 3)));
  CHECK(of(true) == Approx(state(0.3 + reset * (1.5 + 0.25))));
}

// Returns an operator with random values for all operands that its kind supports. `constant`: the weights are constant.
OperatorCase random_case(const ops::Recurrent& op, int64_t steps, int64_t batch, int64_t hidden, bool constant) {
  std::mt19937 generator(11);
  const int64_t columns = gates(op.kind) * hidden;
  const bool lstm = op.kind == Kind::kLstm;
  const TestTensor x = random_tensor(generator, {steps, batch, columns}, -4, 4);
  const TestTensor weights = random_tensor(generator, {hidden, columns}, -0.3f, 0.3f);
  OperatorCase c(op);
  c.input(x).input(constant ? as_constant(weights) : weights);
  c.input(op.linear_before_reset ? random_tensor(generator, {hidden}) : absent());
  c.input(random_tensor(generator, {batch, hidden}));
  if (lstm) c.input(random_tensor(generator, {batch, hidden})).input(random_tensor(generator, {3 * hidden}));
  c.output(DataType::kF32, {steps + (lstm ? 1 : 0), batch, hidden});
  return c;
}

// Compares the fast kernels with the reference over three steps. They add in a different order, and the errors of the
// vector functions are up to 4e-7.
void check_fast_kernels(const ops::Recurrent& op, int64_t batch, int64_t hidden) {
  const TestTensor expected = reference(random_case(op, 3, batch, hidden, false))[0];
  bool ran = false;
  for_each_fast_kernel(random_case(op, 3, batch, hidden, true),
                       [&](const std::string& what, const std::vector<TestTensor>& outputs) {
                         INFO(what << ", batch " << batch << ", hidden " << hidden);
                         CHECK(relative_error(outputs[0], expected) < 1e-5);
                         ran = true;
                       });
  CHECK(ran);
}

TEST_CASE("Kernels with packed recurrent weights agree with the reference") {
  std::vector<int64_t> sizes{1, 7, 24, 65};
  if (test_level() != TestLevel::kQuick) sizes.insert(sizes.end(), {3, 8, 20, 40});
  for (const Kind kind : {Kind::kPlain, Kind::kGru, Kind::kLstm})
    for (const bool before_reset : {false, true})
      for (const int64_t batch : {1, 2, 3, 8})
        for (const int64_t hidden : sizes) {
          if (before_reset && kind == Kind::kPlain) continue;  // has no second form
          ops::Recurrent op = recurrent(kind);
          op.linear_before_reset = before_reset && kind == Kind::kGru;
          op.input_forget = before_reset && kind == Kind::kLstm;
          op.reverse = batch == 2;
          op.clip = batch == 3 ? 0.8f : 0;
          check_fast_kernels(op, batch, hidden);
        }
}

TEST_CASE("Kernels with packed recurrent weights support every activation") {
  for (const Kind kind : {Kind::kPlain, Kind::kGru, Kind::kLstm})
    for (int i = 0; i < 9; ++i) {
      const ops::Activation activation{static_cast<ops::ActivationKind>(i), 0.2f, 0.5f};
      ops::Recurrent op = recurrent(kind);
      (i % 2 == 0 ? op.candidate : op.gate) = activation;
      check_fast_kernels(op, 2, 21);
      op.cell = activation;
      check_fast_kernels(op, 1, 16);
    }
}

TEST_CASE("In the first step of a recurrent layer, infinity saturates and NaN affects only its unit and row") {
  for (const Kind kind : {Kind::kPlain, Kind::kGru, Kind::kLstm}) {
    const int64_t hidden = 19, columns = gates(kind) * hidden;
    std::vector<float> x(static_cast<size_t>(2 * columns), 0.5f);
    x[3] = kNan;
    for (int64_t gate = 0; gate < gates(kind); ++gate)
      for (const int64_t unit : {5, 17}) x[static_cast<size_t>(gate * hidden + unit)] = unit == 5 ? kInf : -kInf;
    const TestTensor weights = tensor({hidden, columns}, std::vector<float>(static_cast<size_t>(hidden * columns)));
    const auto of = [&](const TestTensor& known) {
      OperatorCase c(recurrent(kind));
      c.input(tensor({1, 2, columns}, x)).input(known);
      c.output(DataType::kF32, {kind == Kind::kLstm ? 2 : 1, 2, hidden});
      return c;
    };
    const TestTensor expected = reference(of(weights))[0];
    CHECK(std::isnan(expected.values<float>()[3]));
    for_each_fast_kernel(of(as_constant(weights)), [&](const std::string& what, const std::vector<TestTensor>& y) {
      INFO(what);
      CHECK(relative_error(y[0], expected) < 1e-6);
    });
  }
}

TEST_CASE("A recurrent layer is bit-identical for any number of threads") {
  for (const Kind kind : {Kind::kPlain, Kind::kGru, Kind::kLstm})
    for (const int64_t batch : {1, 8}) {
      const OperatorCase c = random_case(recurrent(kind), 2, batch, 400, true);
      CHECK(same_elements(c.run("recurrent.f32.panel16", 1), c.run("recurrent.f32.panel16", 3)));
    }
}

TEST_CASE("Recurrent reports the operand that does not fit") {
  const auto of = [](Kind kind, const Shape& x, const Shape& weights) {
    OperatorCase c(recurrent(kind));
    c.input(shape_only(x)).input(shape_only(weights));
    return infer_error(c);
  };
  CHECK_THAT(of(Kind::kGru, {2, 1, 4}, {1, 4}), Catch::Contains("gru of shape"));
  CHECK_THAT(of(Kind::kLstm, {0, 1, 4}, {1, 4}), Catch::Contains("lstm of shape"));
  CHECK_THAT(of(Kind::kPlain, {2, 4}, {4, 4}), Catch::Contains("plain of shape"));
  OperatorCase celled(recurrent(Kind::kPlain));
  celled.input(shape_only({2, 1, 1}))
      .input(shape_only({1, 1}))
      .input(absent())
      .input(absent())
      .input(shape_only({1, 1}));
  CHECK_THAT(infer_error(celled), Catch::Contains("only lstm accepts a cell"));
}

// Like random_case(), but with s8 weights. `per_column`: each column has its own scale and zero point.
OperatorCase integer_case(const ops::Recurrent& op, int64_t batch, int64_t hidden, bool per_column, bool constant) {
  std::mt19937 generator(12);
  const int64_t columns = gates(op.kind) * hidden;
  const bool lstm = op.kind == Kind::kLstm;
  OperatorCase c(op);
  c.input(random_tensor(generator, {3, batch, columns}, -4, 4));
  const TestTensor weights = random_s8(generator, {hidden, columns});
  c.input(constant ? as_constant(weights) : weights);
  c.input(op.linear_before_reset ? random_tensor(generator, {hidden}) : absent());
  c.input(random_tensor(generator, {batch, hidden})).input(absent()).input(absent());
  const Shape numbers = per_column ? Shape{columns} : Shape{};
  c.input(random_tensor(generator, numbers, 0.001f, 0.004f)).input(random_s8(generator, numbers));
  c.output(DataType::kF32, {3 + (lstm ? 1 : 0), batch, hidden});
  return c;
}

TEST_CASE("Kernels with packed s8 recurrent weights agree with the reference") {
  for (const Kind kind : {Kind::kPlain, Kind::kGru, Kind::kLstm})
    for (const bool per_column : {false, true})
      for (const int64_t batch : {1, 2, 5})
        for (const int64_t hidden : {1, 7, 16, 40}) {
          const ops::Recurrent op = recurrent(kind);
          const TestTensor expected = reference(integer_case(op, batch, hidden, per_column, false))[0];
          bool ran = false;
          for_each_fast_kernel(integer_case(op, batch, hidden, per_column, true),
                               [&](const std::string& what, const std::vector<TestTensor>& outputs) {
                                 INFO(what << ", batch " << batch << ", hidden " << hidden);
                                 // The vector functions may move a state across a rounding boundary between two
                                 // integers.
                                 CHECK(relative_error(outputs[0], expected) < 0.02);
                                 ran = true;
                               });
          CHECK(ran);
        }
}

TEST_CASE("Recurrent s8 weights require a scale, and other weights must not have one") {
  const auto infers = [](DataType type, bool scale, bool zero) {
    OperatorCase c(recurrent(Kind::kPlain));
    c.input(shape_only({2, 1, 3})).input(shape_only({3, 3}, type));
    for (int i = 0; i < 4; ++i) c.input(absent());
    c.input(scale ? shape_only({3}) : absent()).input(zero ? shape_only({}, DataType::kS8) : absent());
    return c.infer().has_value();
  };
  CHECK(infers(DataType::kS8, true, false));
  CHECK(infers(DataType::kS8, true, true));
  CHECK(infers(DataType::kF32, false, false));
  CHECK_FALSE(infers(DataType::kS8, false, false));
  CHECK_FALSE(infers(DataType::kF32, true, false));
  CHECK_FALSE(infers(DataType::kF32, false, true));
  CHECK_FALSE(infers(DataType::kU8, true, true));
}

}  // namespace
}  // namespace nestrt::test
