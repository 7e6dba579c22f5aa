// SPDX-License-Identifier: Apache-2.0
#include <cstring>

#include "compiler-lite/graph/interpreter.h"
#include "compiler-lite/passes/passes.h"
#include "test/compiler-lite/graph_tools.h"

namespace nestrt::test {
namespace {

using compiler::Graph;
using compiler::ValueId;
using ops::Kind;

struct Transposed {
  Shape x, weights;  // [N, C, spatial...] and [C, M / group, kernel...]
  ops::ConvTranspose op;
  bool has_bias = true;
  bool by_channel = true;
};

Transposed transposed(Shape x, Shape weights, int stride, int pad_begin, int pad_end, int output_padding = 0) {
  Transposed result{std::move(x), std::move(weights), {}, true, true};
  for (int axis = 2; axis < result.weights.rank(); ++axis) {
    result.op.kernel.push_back(static_cast<int32_t>(result.weights[axis]));
    result.op.stride.push_back(stride);
    result.op.dilation.push_back(1);
    result.op.pad_begin.push_back(pad_begin);
    result.op.pad_end.push_back(pad_end);
    result.op.output_padding.push_back(output_padding);
  }
  return result;
}

plan::Quantization scaled(std::vector<float> scales, int zero_point, int axis) {
  plan::Quantization result;
  result.zero_points.assign(scales.size(), zero_point);
  result.scales = std::move(scales);
  result.axis = axis;
  return result;
}

ValueId quantized_u8(Graph& graph, ValueId x, float scale, int zero_point, const std::string& name) {
  ops::Quantize table;
  table.to = DataType::kU8;
  const ValueId integers = add(graph, std::move(table), {x}, name);
  graph.value(integers).quantization = scaled({scale}, zero_point, -1);
  return integers;
}

// Adds integer weights from -127 to 127 with power-of-two scales, so that sums in f32 are exact.
ValueId add_weights(Graph& graph, std::mt19937& generator, const Transposed& layer) {
  const Shape& shape = layer.weights;
  std::vector<float> scales{0.25f};
  if (layer.by_channel)
    for (int64_t m = 1; m < shape[1]; ++m) scales.push_back(m % 2 == 0 ? 0.5f : 0.125f);
  std::uniform_int_distribution<int> element(-127, 127);
  const auto taps = static_cast<size_t>(shape.product(2, shape.rank()));
  std::vector<float> elements(static_cast<size_t>(shape.num_elements()));
  for (size_t i = 0; i < elements.size(); ++i)
    elements[i] = static_cast<float>(element(generator)) * scales[i / taps % scales.size()];
  const ValueId weights = graph.add_constant("w", elements, shape);
  graph.value(weights).source_quantization = scaled(scales, 0, layer.by_channel ? 1 : -1);
  return weights;
}

Graph make_graph(const Transposed& layer) {
  std::mt19937 generator(3);
  Graph graph;
  const ValueId x =
      add(graph, ops::Dequantize(), {quantized_u8(graph, add_input(graph, "x", layer.x), 0.5f, 131, "x.u8")});
  std::vector<ValueId> inputs{x, add_weights(graph, generator, layer)};
  if (layer.has_bias) {
    std::vector<float> bias;
    for (int64_t m = 0; m < layer.weights[1] * layer.op.group; ++m) bias.push_back(static_cast<float>(m) * 2 - 3);
    const auto count = static_cast<int64_t>(bias.size());
    inputs.push_back(graph.add_constant("b", bias, {count}));
  }
  const ValueId y = add(graph, layer.op, inputs);
  graph.outputs = {quantized_u8(graph, y, 128, 100, "y")};
  graph.tidy();
  return graph;
}

// Runs the pass and then fuse_qdq, and requires the same bytes as the transposed convolution of real numbers.
void check_split(const Transposed& layer) {
  INFO(layer.x.to_string() << " " << layer.weights.to_string());
  Graph graph = make_graph(layer);
  const Graph before = graph.clone();
  const auto changes = compiler::split_transposed(graph);
  REQUIRE(changes.has_value());
  CHECK(*changes == 1);
  CHECK(count(graph, Kind::kConvTranspose) == 0);
  std::mt19937 generator(5);
  const auto inputs = random_inputs(before, generator);
  const auto expected = compiler::interpret(before, inputs), split = compiler::interpret(graph, inputs);
  REQUIRE(compiler::fuse_qdq(graph).has_value());
  const auto fused = compiler::interpret(graph, inputs);
  REQUIRE(fused.has_value());
  CHECK((*split)[0].shape == (*expected)[0].shape);
  CHECK((*split)[0].elements == (*expected)[0].elements);
  CHECK((*fused)[0].elements == (*expected)[0].elements);
  for (const auto& node : graph.nodes())
    if (node->kind() == Kind::kConv) CHECK(graph.value(node->inputs[0]).type == DataType::kS8);
}

TEST_CASE("A transposed convolution of integers becomes a Conv of its phases") {
  check_split(transposed({1, 3, 4, 5}, {3, 2, 2, 2}, 2, 0, 0));
  check_split(transposed({1, 3, 4, 5}, {3, 4, 3, 3}, 2, 0, 1));
  check_split(transposed({2, 3, 4, 5}, {3, 4, 3, 3}, 2, 1, 1, 1));
  check_split(transposed({1, 2, 4, 3}, {2, 3, 4, 4}, 2, 1, 1));
  check_split(transposed({1, 2, 4, 3}, {2, 3, 3, 3}, 1, 1, 1));
  check_split(transposed({1, 2, 4, 3}, {2, 3, 5, 5}, 3, 4, 3));
  check_split(transposed({1, 2, 1, 1}, {2, 3, 4, 4}, 2, 0, 3));
  check_split(transposed({1, 2, 7}, {2, 3, 4}, 3, 2, 0));
  check_split(transposed({1, 2, 2, 3, 2}, {2, 2, 2, 3, 2}, 2, 0, 1));
}

TEST_CASE("Groups, one scale and a missing bias of transposed convolutions are kept") {
  Transposed grouped = transposed({1, 4, 3, 3}, {4, 3, 3, 3}, 2, 1, 0);
  grouped.op.group = 2;
  check_split(grouped);
  Transposed plain = transposed({1, 2, 3, 3}, {2, 3, 2, 2}, 2, 0, 0);
  plain.has_bias = plain.by_channel = false;
  plain.op.activation.kind = ops::ActivationKind::kRelu;
  check_split(plain);
}

TEST_CASE("Transposed convolutions stay if a Conv would need many more taps, or if they are dilated or float") {
  const auto stays = [](Graph graph) {
    const auto changes = compiler::split_transposed(graph);
    REQUIRE(changes.has_value());
    CHECK(*changes == 0);
    CHECK(count(graph, Kind::kConvTranspose) == 1);
    CHECK(count(graph, Kind::kConv) == 0);
  };
  stays(make_graph(transposed({1, 2, 3, 3}, {2, 3, 1, 1}, 4, 0, 0)));
  stays(make_graph(transposed({1, 2, 3, 3}, {2, 3, 2, 2}, 512, 0, 0)));
  Transposed dilated = transposed({1, 2, 3, 3}, {2, 3, 2, 2}, 2, 0, 0);
  dilated.op.dilation = {2, 1};
  stays(make_graph(dilated));
  Graph real = make_graph(transposed({1, 2, 3, 3}, {2, 3, 2, 2}, 2, 0, 0));
  for (size_t i = 0; i < real.num_values(); ++i) real.value(static_cast<ValueId>(i)).source_quantization.reset();
  stays(std::move(real));
}

}  // namespace
}  // namespace nestrt::test
