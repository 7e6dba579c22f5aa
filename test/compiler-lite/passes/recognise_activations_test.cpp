// SPDX-License-Identifier: Apache-2.0
#include "compiler-lite/passes/passes.h"
#include "test/compiler-lite/graph_tools.h"

namespace nestrt::test {
namespace {

using compiler::Graph;
using compiler::ValueId;
using ops::BinaryKind;
using ops::UnaryKind;

ValueId binary(Graph& graph, BinaryKind kind, ValueId a, ValueId b) {
  return add(graph, binary_attributes(kind), {a, b});
}

// Runs the cleanup until nothing changes, checks that the results are the same, and returns the only remaining node.
const ops::Unary& only_unary(Graph& graph, ValueId output) {
  std::mt19937 generator(1);
  graph.outputs = {output};
  const Graph before = graph.clone();
  for (int changes = 1; changes > 0;) {
    const auto result = compiler::recognise_activations(graph);
    REQUIRE(result.has_value());
    changes = *result;
  }
  CHECK(difference(graph, before, generator) < 1e-6);
  REQUIRE(graph.nodes().size() == 1);
  REQUIRE(graph.nodes()[0]->as<ops::Unary>() != nullptr);
  return *graph.nodes()[0]->as<ops::Unary>();
}

TEST_CASE("x * sigmoid(x) is silu, on either side") {
  for (bool gate_first : {false, true}) {
    Graph graph;
    const ValueId x = add_input(graph, "x", {2, 5});
    const ValueId gate = add(graph, unary_attributes(UnaryKind::kSigmoid), {x});
    const ValueId y = gate_first ? binary(graph, BinaryKind::kMul, gate, x) : binary(graph, BinaryKind::kMul, x, gate);
    CHECK(only_unary(graph, y).kind == UnaryKind::kSilu);
  }
}

TEST_CASE("x * hard_sigmoid(x) is hard_swish") {
  Graph graph;
  const ValueId x = add_input(graph, "x", {2, 50});
  const ValueId gate = add(graph, unary_attributes(UnaryKind::kHardSigmoid, 1.0f / 6, 0.5f), {x});
  CHECK(only_unary(graph, binary(graph, BinaryKind::kMul, x, gate)).kind == UnaryKind::kHardSwish);
}

TEST_CASE("x * clip(x + 3, 0, 6) / 6 is hard_swish for any position of the division") {
  for (bool divide_gate : {false, true}) {
    Graph graph;
    const ValueId x = add_input(graph, "x", {2, 50});
    const ValueId shifted = binary(graph, BinaryKind::kAdd, x, scalar(graph, 3));
    ValueId gate = add(graph, unary_attributes(UnaryKind::kClip, 0, 6), {shifted});
    if (divide_gate) gate = binary(graph, BinaryKind::kDiv, gate, scalar(graph, 6));
    ValueId y = binary(graph, BinaryKind::kMul, x, gate);
    if (!divide_gate) y = binary(graph, BinaryKind::kMul, y, scalar(graph, 1.0f / 6));
    CHECK(only_unary(graph, y).kind == UnaryKind::kHardSwish);
  }
}

// 1 + erf(x * factor)
ValueId erf_gate(Graph& graph, ValueId x, float factor) {
  const ValueId erf =
      add(graph, unary_attributes(UnaryKind::kErf), {binary(graph, BinaryKind::kMul, x, scalar(graph, factor))});
  return binary(graph, BinaryKind::kAdd, erf, scalar(graph, 1));
}

TEST_CASE("x / 2 * (1 + erf(x / sqrt(2))) is gelu in any order of the factors") {
  for (int order = 0; order < 4; ++order) {
    Graph graph;
    const ValueId x = add_input(graph, "x", {2, 50});
    const ValueId gate = erf_gate(graph, x, 0.70710678f), half = scalar(graph, 0.5f);
    const ValueId y = order == 0   ? binary(graph, BinaryKind::kMul, binary(graph, BinaryKind::kMul, x, gate), half)
                      : order == 1 ? binary(graph, BinaryKind::kMul, binary(graph, BinaryKind::kMul, half, x), gate)
                      : order == 2
                          ? binary(graph, BinaryKind::kMul, x, binary(graph, BinaryKind::kMul, gate, half))
                          : binary(graph, BinaryKind::kDiv, binary(graph, BinaryKind::kMul, gate, x), scalar(graph, 2));
    const ops::Unary& gelu = only_unary(graph, y);
    CHECK(gelu.kind == UnaryKind::kGelu);
    CHECK(gelu.alpha == 0);
  }
}

TEST_CASE("Products with erf that are not gelu are kept") {
  for (int fault = 0; fault < 3; ++fault) {
    Graph graph;
    const ValueId x = add_input(graph, "x", {2, 5}), other = add_input(graph, "y", {2, 5});
    const ValueId gate = erf_gate(graph, fault == 0 ? other : x, fault == 1 ? 0.5f : 0.70710678f);
    const ValueId product = binary(graph, BinaryKind::kMul, x, gate);
    graph.outputs = {binary(graph, BinaryKind::kMul, product, scalar(graph, fault == 2 ? 0.25f : 0.5f))};
    CHECK(*compiler::recognise_activations(graph) == 0);
  }
}

TEST_CASE("clip(x * 0.2 + 0.5, 0, 1) is hard_sigmoid") {
  Graph graph;
  const ValueId x = add_input(graph, "x", {2, 50});
  const ValueId scaled = binary(graph, BinaryKind::kMul, scalar(graph, 0.2f), x);
  const ValueId shifted = binary(graph, BinaryKind::kAdd, scaled, scalar(graph, 0.5f));
  const ops::Unary& unary = only_unary(graph, add(graph, unary_attributes(UnaryKind::kClip, 0, 1), {shifted}));
  CHECK(unary.kind == UnaryKind::kHardSigmoid);
  CHECK(unary.alpha == Approx(0.2f));
  CHECK(unary.beta == Approx(0.5f));
}

TEST_CASE("max(x, 0) is relu, and min(max(x, 0), 6) is one clip") {
  Graph graph;
  const ValueId x = add_input(graph, "x", {2, 50});
  CHECK(only_unary(graph, binary(graph, BinaryKind::kMax, x, scalar(graph, 0))).kind == UnaryKind::kRelu);

  Graph bounded;
  const ValueId z = add_input(bounded, "x", {2, 50});
  const ValueId floor = binary(bounded, BinaryKind::kMax, z, scalar(bounded, 0));
  const ops::Unary& clip = only_unary(bounded, binary(bounded, BinaryKind::kMin, floor, scalar(bounded, 3)));
  CHECK(clip.kind == UnaryKind::kClip);
  CHECK(clip.alpha == 0);
  CHECK(clip.beta == 3);
}

TEST_CASE("A gate that reads a different value and an unsuitable scale are not changed") {
  std::mt19937 generator(1);
  Graph graph;
  const ValueId x = add_input(graph, "x", {2, 5}), z = add_input(graph, "z", {2, 5});
  const ValueId gate = add(graph, unary_attributes(UnaryKind::kSigmoid), {x});
  const ValueId shifted = binary(graph, BinaryKind::kAdd, x, scalar(graph, 3));
  const ValueId clip = add(graph, unary_attributes(UnaryKind::kClip, 0, 6), {shifted});
  const ValueId halved = binary(graph, BinaryKind::kDiv, clip, scalar(graph, 5));
  graph.outputs = {binary(graph, BinaryKind::kMul, z, gate), halved};
  const auto changes = compiler::recognise_activations(graph);
  REQUIRE(changes.has_value());
  CHECK(*changes == 0);
  CHECK(graph.nodes().size() == 5);
}

}  // namespace
}  // namespace nestrt::test
