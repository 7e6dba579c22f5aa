// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include <cmath>

#include "test/support/kernel/exact.h"

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

TEST_CASE("Packed recurrent weights equal the reference") {
  std::mt19937 generator(11);
  for (const Kind kind : {Kind::kPlain, Kind::kGru, Kind::kLstm}) {
    for (const int64_t hidden : {1, 8, 24, 40}) {
      const int64_t columns = gates(kind) * hidden, steps = 3, batch = 2;
      const TestTensor x = random_tensor(generator, {steps, batch, columns});
      const TestTensor weights = random_tensor(generator, {hidden, columns}, -0.3f, 0.3f);
      const Shape output{steps + (kind == Kind::kLstm ? 1 : 0), batch, hidden};
      OperatorCase plain(recurrent(kind)), fast(recurrent(kind));
      plain.input(x).input(weights).output(DataType::kF32, output);
      fast.input(x).input(as_constant(weights)).output(DataType::kF32, output);
      const TestTensor expected = reference(plain)[0];
      bool ran = false;
      for_each_fast_kernel(fast, [&](const std::string& what, const std::vector<TestTensor>& outputs) {
        INFO(what << ", " << hidden);
        CHECK(relative_error(outputs[0], expected) < 1e-5);
        ran = true;
      });
      CHECK(ran == (kind != Kind::kGru || hidden % 8 == 0));
    }
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

}  // namespace
}  // namespace nestrt::test
