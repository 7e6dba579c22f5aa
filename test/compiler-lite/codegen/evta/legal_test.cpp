// SPDX-License-Identifier: Apache-2.0
#include "compiler-lite/codegen/evta/legal.h"

#include <catch2/catch.hpp>
#include <map>

#include "compiler-lite/codegen/evta/tuning/tuner.h"
#include "compiler-lite/graph/bound_operator.h"
#include "compiler-lite/passes/passes.h"
#include "compiler-lite/quantize/quantize.h"
#include "test/compiler-lite/codegen/evta/layer_runner.h"
#include "test/compiler-lite/graph_tools.h"
#include "test/support/evta/evta_configuration.h"

namespace nestrt::test {
namespace {

using compiler::Bytes;
using compiler::Graph;
using compiler::Node;
using compiler::ValueId;

// Returns convolutions (one depthwise, one with a ReLU), pools, an addition, a concat and fully connected layers.
Graph network(std::mt19937& generator) {
  Graph graph;
  const ValueId x = add_input(graph, "x", {1, 20, 12, 12});
  ops::Conv first = conv_attributes({3, 3}, 1);
  first.activation.kind = ops::ActivationKind::kRelu;
  const ValueId c1 =
      add(graph, std::move(first), {x, random_constant(graph, generator, {20, 20, 3, 3}, -0.1f, 0.1f)}, "c1");
  const ValueId pool = add(graph, pool_attributes(ops::PoolKind::kMax, {3, 3}, 1), {c1}, "pool");
  const ValueId weights = random_constant(graph, generator, {20, 1, 3, 3}, -0.4f, 0.4f);
  const ValueId c2 = add(graph, conv_attributes({3, 3}, 1, 1, 20), {c1, weights}, "c2");
  const ValueId sum = add(graph, binary_attributes(ops::BinaryKind::kAdd), {c2, pool}, "sum");
  ops::Pool halves = pool_attributes(ops::PoolKind::kAverage, {2, 2});
  halves.stride = {2, 2};
  const ValueId mean = add(graph, halves, {sum}, "mean");
  const ValueId thirds = add(graph, pool_attributes(ops::PoolKind::kAverage, {3, 3}), {mean}, "mean9");
  const ValueId both = add(graph, concat_attributes(1), {thirds, thirds}, "both");
  const ValueId flat = add(graph, reshape_attributes({1, 640}), {both}, "flat");
  const ValueId d1 = add(graph, ops::Dense{}, {flat, random_constant(graph, generator, {640, 30}, -0.1f, 0.1f)}, "d1");
  const ValueId d2 = add(graph, ops::Dense{}, {d1, random_constant(graph, generator, {30, 10})}, "d2");
  graph.outputs = {add(graph, ops::Softmax{}, {d2}, "probabilities")};
  return graph;
}

Graph quantized_network(std::mt19937& generator) {
  Graph graph = network(generator);
  compiler::QuantizationProfile profile;
  for (const char* value : {"x", "c1", "pool", "c2", "sum", "mean", "mean9", "both", "flat", "d1", "d2"}) {
    profile.values.emplace_back();
    profile.values.back().name = value;
    profile.values.back().exponent = std::string_view(value) == "c2" ? 7 : 5;
  }
  compiler::QuantizeOptions options;
  options.corrections = {false, false, false};
  REQUIRE(compiler::quantize(graph, profile, options).has_value());
  return graph;
}

// Returns why EVTA cannot run the node; empty if it can.
std::string reason(const Graph& graph, const Node& node, const evta::Configuration& configuration) {
  const auto layer = compiler::evta::layer_of(graph, node);
  if (!layer) return std::string(layer.error().message());
  const auto generator = compiler::evta::generator_of(configuration, *layer);
  if (!generator) return std::string(generator.error().message());
  return std::string(compiler::evta::tune(**generator).error().message());
}

std::map<std::string, std::string> reasons(const Graph& graph) {
  std::map<std::string, std::string> result;
  for (const auto& node : graph.nodes()) result[node->name] = reason(graph, *node, evta::test::stock_configuration());
  return result;
}

// Returns a tensor's number of images and of channels.
std::pair<int64_t, int64_t> planes(const Graph& graph, ValueId id) {
  return {graph.value(id).shape[0], graph.value(id).shape[1]};
}

// Returns the result of the CPU's kernel for s8 operands; constants come from the graph.
Elements on_cpu(const Graph& graph, const Node& node, const std::map<ValueId, Elements>& operands) {
  std::vector<const std::byte*> pointers;
  for (const ValueId id : node.inputs) {
    if (id == compiler::kNoValue)
      pointers.push_back(nullptr);
    else if (graph.value(id).is_constant())
      pointers.push_back(graph.value(id).constant->data());
    else
      pointers.push_back(reinterpret_cast<const std::byte*>(operands.at(id).data()));
  }
  const auto outputs = compiler::evaluate(graph, node, pointers);
  REQUIRE(outputs.has_value());
  const auto* elements = reinterpret_cast<const int8_t*>((*outputs)[0].data());
  return Elements(elements, elements + (*outputs)[0].size());
}

Elements on_evta(const Graph& graph, const Node& node, const evta::Configuration& configuration,
                 const std::map<ValueId, Elements>& operands) {
  const auto layer = compiler::evta::layer_of(graph, node);
  REQUIRE(layer.has_value());
  const auto generator = compiler::evta::generator_of(configuration, *layer);
  REQUIRE(generator.has_value());
  const auto tuned = compiler::evta::tune(**generator);
  REQUIRE(tuned.has_value());
  const auto program = (*generator)->generate(tuned->tiling);
  REQUIRE(program.has_value());
  std::vector<std::vector<std::byte>> inputs;
  for (const ValueId id : {layer->input, layer->residual}) {
    if (id == compiler::kNoValue) continue;
    const auto [images, channels] = planes(graph, id);
    inputs.push_back(to_blocks(operands.at(id), images, channels, configuration.block()));
  }
  std::string message;
  const auto output = run(*program, inputs, &message);
  INFO(message);
  REQUIRE(!output.empty());
  const auto [images, channels] = planes(graph, node.outputs[0]);
  return from_blocks(output, images, channels, configuration.block());
}

// A graph with a Quantize to exponent 4, followed by a Requantize.
struct Requantized {
  Requantized(int to, ops::Requantize attributes) {
    const ValueId x = add(graph, ops::Quantize(), {add_input(graph, "x", {1, 20, 6, 6})});
    graph.value(x).quantization = plan::Quantization{{4}, {}, {}, -1};
    const ValueId y = add(graph, std::move(attributes), {x}, "y");
    graph.value(y).quantization = plan::Quantization{{static_cast<int8_t>(to)}, {}, {}, -1};
    graph.outputs = {y};
  }
  const Node& node() const { return *graph.nodes().back(); }

  Graph graph;
};

}  // namespace

TEST_CASE("Every node that EVTA can run matches the CPU's kernel bit for bit") {
  std::mt19937 generator(1);
  Graph graph = quantized_network(generator);
  const bool fused = GENERATE(false, true);
  const std::string name = GENERATE("1x16_15_15_18_17", "1x32_15_15_18_17", "1x8_14_13_15_15");
  if (fused) REQUIRE(compiler::fuse_residual(graph).has_value());
  int legal = 0;
  for (const auto& node : graph.nodes()) {
    if (!reason(graph, *node, *evta::find_configuration(name)).empty()) continue;
    INFO(node->name << " on " << name);
    ++legal;
    std::map<ValueId, Elements> operands;
    for (const ValueId id : node->inputs) {
      if (id == compiler::kNoValue || graph.value(id).is_constant()) continue;
      operands[id] = random_elements(generator, graph.value(id).shape.num_elements());
    }
    REQUIRE(on_evta(graph, *node, *evta::find_configuration(name), operands) == on_cpu(graph, *node, operands));
  }
  REQUIRE(legal == (fused ? 5 : 6));
}

TEST_CASE("Nodes that EVTA cannot run are rejected with the reason") {
  std::mt19937 generator(2);
  auto reason = reasons(quantized_network(generator));
  for (const char* node : {"c1", "pool", "c2", "sum", "mean", "d1"}) CHECK(reason.at(node).empty());
  CHECK(reason.at("mean9") == "it averages 9 elements; EVTA only divides by powers of two");
  CHECK(reason.at("both") == "EVTA has no Concat");
  CHECK(reason.at("d2") == "its result stays in f32 and is not an image");
  CHECK(reason.at("probabilities") == "it computes in f32; EVTA supports only s8");
}

TEST_CASE("A Requantize matches the CPU's kernel and multiplies by at most 2^6") {
  std::mt19937 generator(4);
  for (const auto rounding : {ops::Rounding::kHalfUp, ops::Rounding::kFloor, ops::Rounding::kHalfEven})
    for (const int to : {-40, -2, 1, 4, 5, 7, 10, 11}) {
      INFO(ops::name(rounding) << " to " << to);
      Requantized made(to, {rounding, DataType::kS8, {ops::ActivationKind::kClip, -1.7f, 3.3f}});
      const std::string why = reason(made.graph, made.node(), evta::test::stock_configuration());
      CHECK(why == (to == 11 ? "it multiplies elements by 2^7; EVTA supports at most 2^6" : ""));
      if (!why.empty()) continue;
      const std::map<ValueId, Elements> operands = {{made.node().inputs[0], random_elements(generator, 20 * 36)}};
      CHECK(on_evta(made.graph, made.node(), evta::test::stock_configuration(), operands) ==
            on_cpu(made.graph, made.node(), operands));
    }
  Requantized leaky(3, {ops::Rounding::kHalfEven, DataType::kS8, {ops::ActivationKind::kLeakyRelu, 0.1f, 0}});
  CHECK(reason(leaky.graph, leaky.node(), evta::test::stock_configuration()) ==
        "EVTA supports only the functions ReLU and clip");
}

TEST_CASE("The rejection reason names scales that EVTA does not support") {
  Requantized made(3, {});
  const auto with = [&](float scale, int32_t zero_point) {
    made.graph.value(made.node().inputs[0]).quantization = plan::Quantization{{}, {scale}, {zero_point}, -1};
    return reason(made.graph, made.node(), evta::test::stock_configuration());
  };
  CHECK(with(0.03f, 0) == "its input has scale 0.03 and zero point 0; EVTA requires a power of two and 0");
  CHECK(with(0.5f, 7) == "its input has scale 0.5 and zero point 7; EVTA requires a power of two and 0");
  CHECK_THAT(with(0.5f, 0), Catch::Contains("no exact form with exponents"));
}

TEST_CASE("EVTA cannot run any node of a network in f32") {
  std::mt19937 generator(3);
  for (const auto& [node, reason] : reasons(network(generator))) {
    INFO(node);
    CHECK(reason == "it computes in f32; EVTA supports only s8");
  }
}

}  // namespace nestrt::test
