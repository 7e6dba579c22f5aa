// SPDX-License-Identifier: Apache-2.0
// Tests activations as the exporters of jax2onnx, Keras and Paddle compose them.
#include "compiler-lite/passes/composed_activations.h"

#include "compiler-lite/passes/passes.h"
#include "test/compiler-lite/graph_tools.h"

namespace nestrt::test {
namespace {

using compiler::Graph;
using compiler::ValueId;
using ops::BinaryKind;
using ops::UnaryKind;

// Builds expressions in x.
struct Builder {
  Graph graph;
  ValueId x = add_input(graph, "x", {3, 40});

  ValueId constant(float value) { return scalar(graph, value); }
  ValueId unary(UnaryKind kind, ValueId a) { return add(graph, unary_attributes(kind), {a}); }
  ValueId binary(BinaryKind kind, ValueId a, ValueId b) { return add(graph, binary_attributes(kind), {a, b}); }
  ValueId plus(ValueId a, ValueId b) { return binary(BinaryKind::kAdd, a, b); }
  ValueId times(ValueId a, ValueId b) { return binary(BinaryKind::kMul, a, b); }
  ValueId select(ValueId condition, ValueId a, ValueId b) { return add(graph, ops::Select(), {condition, a, b}); }

  // Runs the pass, checks that the results are unchanged, and returns the only remaining node.
  ops::Unary only_unary(ValueId output) {
    std::mt19937 generator(1);
    graph.outputs = {output};
    const Graph before = graph.clone();
    REQUIRE(compiler::recognise_activations(graph).has_value());
    CHECK(difference(graph, before, generator) < 1e-5);
    REQUIRE(graph.nodes().size() == 1);
    REQUIRE(graph.nodes()[0]->as<ops::Unary>() != nullptr);
    return *graph.nodes()[0]->as<ops::Unary>();
  }
};

TEST_CASE("where(x > 0, x, a * x) is leaky_relu in every order of its branches") {
  for (const bool is_swapped : {false, true}) {
    Builder b;
    const ValueId slope = b.times(b.x, b.constant(0.1F));
    const ValueId condition =
        b.binary(is_swapped ? BinaryKind::kLess : BinaryKind::kGreaterOrEqual, b.x, b.constant(0));
    const ops::Unary found =
        b.only_unary(is_swapped ? b.select(condition, slope, b.x) : b.select(condition, b.x, slope));
    CHECK(found.kind == UnaryKind::kLeakyRelu);
    CHECK(found.alpha == Approx(0.1F));
  }
}

TEST_CASE("max(x, a * x) is leaky_relu") {
  Builder b;
  const ops::Unary found = b.only_unary(b.binary(BinaryKind::kMax, b.x, b.times(b.constant(0.2F), b.x)));
  CHECK(found.kind == UnaryKind::kLeakyRelu);
  CHECK(found.alpha == Approx(0.2F));
}

TEST_CASE("GELU with tanh is recognised with its cube as a power and as products") {
  for (const bool has_power : {false, true}) {
    Builder b;
    const ValueId cube = has_power ? b.binary(BinaryKind::kPow, b.x, b.constant(3)) : b.times(b.times(b.x, b.x), b.x);
    const ValueId inner = b.plus(b.x, b.times(cube, b.constant(0.044715F)));
    const ValueId tanh = b.unary(UnaryKind::kTanh, b.times(inner, b.constant(0.7978846F)));
    const ValueId gate = b.times(b.plus(tanh, b.constant(1)), b.constant(0.5F));
    const ops::Unary found = b.only_unary(b.times(b.x, gate));
    CHECK(found.kind == UnaryKind::kGelu);
    CHECK(found.alpha == 1);
  }
}

TEST_CASE("GELU with erf is recognised") {
  Builder b;
  const ValueId erf = b.unary(UnaryKind::kErf, b.binary(BinaryKind::kDiv, b.x, b.constant(1.4142135F)));
  const ValueId y = b.times(b.times(b.x, b.plus(erf, b.constant(1))), b.constant(0.5F));
  const ops::Unary found = b.only_unary(y);
  CHECK(found.kind == UnaryKind::kGelu);
  CHECK(found.alpha == 0);
}

TEST_CASE("elu, mish, softplus and sigmoid are recognised in parts") {
  Builder elu;
  const ValueId below = elu.binary(BinaryKind::kSub, elu.unary(UnaryKind::kExp, elu.x), elu.constant(1));
  const ValueId is_positive = elu.binary(BinaryKind::kGreater, elu.x, elu.constant(0));
  CHECK(elu.only_unary(elu.select(is_positive, elu.x, below)).kind == UnaryKind::kElu);

  Builder mish;
  const ValueId logarithm =
      mish.unary(UnaryKind::kLog, mish.plus(mish.constant(1), mish.unary(UnaryKind::kExp, mish.x)));
  CHECK(mish.only_unary(mish.times(mish.x, mish.unary(UnaryKind::kTanh, logarithm))).kind == UnaryKind::kMish);

  Builder sigmoid;
  const ValueId power = sigmoid.unary(UnaryKind::kExp, sigmoid.unary(UnaryKind::kNeg, sigmoid.x));
  const ValueId whole = sigmoid.plus(power, sigmoid.constant(1));
  CHECK(sigmoid.only_unary(sigmoid.unary(UnaryKind::kReciprocal, whole)).kind == UnaryKind::kSigmoid);
}

TEST_CASE("An activation after other arithmetic keeps that arithmetic") {
  Builder b;
  const ValueId before = b.plus(b.times(b.x, b.constant(3)), b.constant(1));
  b.graph.outputs = {b.binary(BinaryKind::kMax, before, b.times(before, b.constant(0.2F)))};
  REQUIRE(compiler::recognise_activations(b.graph).value() == 1);
  CHECK(count(b.graph, ops::Kind::kUnary) == 1);
  CHECK(count(b.graph, ops::Kind::kBinary) == 2);
}

TEST_CASE("Functions that differ from an activation, or whose parts are read elsewhere, stay as they are") {
  Builder other;
  const ValueId threshold = other.binary(BinaryKind::kGreater, other.x, other.constant(7.3F));
  other.graph.outputs = {other.select(threshold, other.x, other.times(other.x, other.constant(0.1F)))};
  CHECK(compiler::recognise_activations(other.graph).value() == 0);

  Builder limited;  // differs only at large arguments
  const ValueId is_large = limited.binary(BinaryKind::kGreater, limited.x, limited.constant(57344));
  limited.graph.outputs = {limited.select(is_large, limited.constant(57344), limited.x)};
  CHECK(compiler::recognise_activations(limited.graph).value() == 0);

  Builder shared;
  const ValueId slope = shared.times(shared.x, shared.constant(0.1F));
  shared.graph.outputs = {shared.binary(BinaryKind::kMax, shared.x, slope), slope};
  CHECK(compiler::recognise_activations(shared.graph).value() == 0);
}

TEST_CASE("A small term that keeps a function away from 0 stays") {
  constexpr float kSmall = 1e-6F;
  Builder magnitude;
  magnitude.graph.outputs = {magnitude.plus(magnitude.unary(UnaryKind::kAbs, magnitude.x), magnitude.constant(kSmall))};
  CHECK(compiler::recognise_activations(magnitude.graph).value() == 0);

  for (const UnaryKind kind : {UnaryKind::kRelu, UnaryKind::kSigmoid, UnaryKind::kSoftplus}) {
    Builder b;
    b.graph.outputs = {b.plus(b.unary(kind, b.x), b.constant(kSmall))};
    CHECK(compiler::recognise_activations(b.graph).value() == 0);
  }
}

}  // namespace
}  // namespace nestrt::test
