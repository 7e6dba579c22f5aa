// SPDX-License-Identifier: Apache-2.0
#include "compiler-lite/passes/passes.h"
#include "test/compiler-lite/graph_tools.h"

namespace nestrt::test {
namespace {

using compiler::Graph;
using compiler::ValueId;

// Returns a Dense with 37 inputs and 21 outputs. Its weights are integers in [low, high] times scales. `per_column`:
// one scale and zero point per output.
struct QuantizedDense {
  Graph graph;
  ValueId weights = compiler::kNoValue;

  QuantizedDense(int low, int high, bool per_column, int64_t rows = 3) {
    std::mt19937 generator(9);
    const int64_t inputs = 37, outputs = 21;
    plan::Quantization source;
    for (int64_t n = 0; n < (per_column ? outputs : 1); ++n) {
      source.scales.push_back(0.01f * static_cast<float>(n + 1));
      source.zero_points.push_back(low + static_cast<int>(n) % (high - low));
    }
    if (per_column) source.axis = 1;
    std::vector<float> elements;
    std::uniform_int_distribution<int> draw(low, high);
    for (int64_t i = 0; i < inputs * outputs; ++i) {
      const auto n = static_cast<size_t>(per_column ? i % outputs : 0);
      elements.push_back(static_cast<float>(draw(generator) - source.zero_points[n]) * source.scales[n]);
    }
    const ValueId x = add_input(graph, "x", {rows, inputs});
    weights = graph.add_constant("w", elements, {inputs, outputs});
    graph.value(weights).source_quantization = source;
    const ValueId bias = random_constant(graph, generator, {outputs});
    graph.outputs = {add(graph, ops::Dense(), {x, weights, bias}, "y")};
    graph.tidy();
  }

  // Returns the number of bits that the pass chooses; 0 if it changes nothing.
  int bits_kept() {
    nodes_left_by(&compiler::keep_integer_weights, graph, 1e-5);
    const auto* product = graph.nodes().back()->as<ops::MatMulNBits>();
    return product == nullptr ? 0 : product->bits;
  }
};

}  // namespace

TEST_CASE("Dequantized weights are stored in the fewest bits that represent them") {
  for (const bool per_column : {false, true})
    for (const int64_t rows : {1, 3, 9}) {
      CHECK(QuantizedDense(0, 3, per_column, rows).bits_kept() == 2);
      CHECK(QuantizedDense(-2, 1, per_column, rows).bits_kept() == 2);
      CHECK(QuantizedDense(-8, 7, per_column, rows).bits_kept() == 4);
      CHECK(QuantizedDense(0, 15, per_column, rows).bits_kept() == 4);
      CHECK(QuantizedDense(-128, 127, per_column, rows).bits_kept() == 8);
      CHECK(QuantizedDense(0, 255, per_column, rows).bits_kept() == 8);
    }
}

TEST_CASE("Weights that need more than 8 bits, are not multiples of their scale or have no source stay floats") {
  CHECK(QuantizedDense(-300, 300, false).bits_kept() == 0);
  QuantizedDense changed(-8, 7, false);
  changed.graph.value(changed.weights).source_quantization->scales = {0.012f};
  CHECK(changed.bits_kept() == 0);
  QuantizedDense plain(-8, 7, false);
  plain.graph.value(plain.weights).source_quantization.reset();
  CHECK(plain.bits_kept() == 0);
  QuantizedDense by_row(-8, 7, false);
  by_row.graph.value(by_row.weights).source_quantization->axis = 0;
  by_row.graph.value(by_row.weights).source_quantization->scales.assign(37, 0.01f);
  by_row.graph.value(by_row.weights).source_quantization->zero_points.assign(37, 0);
  CHECK(by_row.bits_kept() == 0);
}

TEST_CASE("A fused activation follows the product, and layers share their weights") {
  QuantizedDense dense(-8, 7, true);
  Graph& graph = dense.graph;
  ops::Dense relu;
  relu.activation.kind = ops::ActivationKind::kRelu;
  const ValueId second = add(graph, relu, {graph.inputs[0].value, dense.weights}, "z");
  graph.outputs = {graph.outputs[0], second};
  graph.tidy();
  CHECK(nodes_left_by(&compiler::keep_integer_weights, graph, 1e-5) == 3);
  CHECK(count(graph, ops::Kind::kUnary) == 1);
  std::vector<ValueId> packed;
  for (const auto& node : graph.nodes())
    if (node->as<ops::MatMulNBits>()) packed.push_back(node->inputs[1]);
  REQUIRE(packed.size() == 2);
  CHECK(packed[0] == packed[1]);
}

}  // namespace nestrt::test
