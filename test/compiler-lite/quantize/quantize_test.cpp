// SPDX-License-Identifier: Apache-2.0
#include "compiler-lite/quantize/quantize.h"

#include <catch2/catch.hpp>
#include <cstring>

#include "compiler-lite/graph/interpreter.h"
#include "compiler-lite/passes/passes.h"
#include "test/compiler-lite/graph_tools.h"

using namespace nestrt;
using namespace nestrt::compiler;

namespace {

using Catch::Matchers::Contains;
using ops::Kind;

struct Known {
  const char* value;
  int exponent;
};

QuantizationProfile profile_of(std::initializer_list<Known> exponents) {
  QuantizationProfile profile;
  for (const Known& known : exponents) {
    profile.values.emplace_back();
    profile.values.back().name = known.value;
    profile.values.back().exponent = known.exponent;
  }
  return profile;
}

QuantizeOptions plain_options() {
  QuantizeOptions options;
  options.corrections = {false, false, false};
  return options;
}

QuantizationReport quantized(Graph& graph, const QuantizationProfile& profile,
                             const QuantizeOptions& options = plain_options()) {
  auto report = quantize(graph, profile, options);
  INFO(report.error().to_string());
  REQUIRE(report);
  return *report;
}

// Adds a 1x1 Conv with weights [outputs, inputs] and a fused activation.
ValueId conv(Graph& graph, ValueId x, const std::string& name, const std::vector<float>& weights, int64_t outputs,
             ops::ActivationKind activation = ops::ActivationKind::kNone, const std::vector<float>& bias = {}) {
  ops::Conv table = test::conv_attributes({1, 1});
  table.activation = {activation, 0.0f, 6.0f};
  std::vector<ValueId> operands = {
      x, graph.add_constant(name + ".w", weights, {outputs, static_cast<int64_t>(weights.size()) / outputs, 1, 1})};
  if (!bias.empty()) operands.push_back(graph.add_constant(name + ".b", bias, {outputs}));
  return test::add(graph, std::move(table), operands, name);
}

const Node& node_of(const Graph& graph, const std::string& name) {
  for (const auto& node : graph.nodes())
    if (node->name == name) return *node;
  FAIL("no node " << name);
  return *graph.nodes().front();
}

int exponent_of(const Graph& graph, const std::string& value) {
  for (size_t i = 0; i < graph.num_values(); ++i) {
    const Value& candidate = graph.value(static_cast<ValueId>(i));
    if (candidate.name == value && candidate.quantization) return candidate.quantization->exponents[0];
  }
  FAIL("no quantized value " << value);
  return 0;
}

HostTensor tensor(const Shape& shape, const std::vector<float>& elements) {
  HostTensor result{DataType::kF32, shape, Bytes(elements.size() * sizeof(float))};
  std::memcpy(result.elements.data(), elements.data(), result.elements.size());
  return result;
}

std::vector<float> run(const Graph& graph, const std::vector<HostTensor>& inputs) {
  const auto outputs = interpret(graph, inputs);
  INFO(outputs.error().to_string());
  REQUIRE(outputs);
  std::vector<float> elements((*outputs)[0].elements.size() / sizeof(float));
  std::memcpy(elements.data(), (*outputs)[0].elements.data(), (*outputs)[0].elements.size());
  return elements;
}

// Returns x -> c1 (relu) -> c2 -> y.
Graph two_convs() {
  Graph graph;
  const ValueId x = test::add_input(graph, "x", {1, 1, 1, 4});
  const ValueId c1 = conv(graph, x, "c1", {0.75f, -0.5f}, 2, ops::ActivationKind::kRelu, {0.1f, 0.0f});
  graph.outputs = {conv(graph, c1, "c2", {1.0f, 0.5f}, 1)};
  return graph;
}

const HostTensor kInput = tensor({1, 1, 1, 4}, {0.5f, -0.25f, 1.0f, 0.3f});  // 32, -16, 64, 19 of 2^-6

}  // namespace

TEST_CASE("A quantized network computes the hand-calculated integer results") {
  Graph graph = two_convs();
  const QuantizationReport report = quantized(graph, profile_of({{"x", 6}, {"c1", 6}}));
  CHECK(report.s8_nodes == 2);
  CHECK(report.kept.empty());
  CHECK(test::count(graph, Kind::kQuantize) == 1);
  CHECK(test::count(graph, Kind::kDequantize) == 0);
  // c1: (96 * x + 819 + 64) >> 7 and (-64 * x + 64) >> 7, at least 0; c2: (64 * a + 32 * b) / 4096.
  CHECK(run(graph, {kInput}) ==
        std::vector<float>{30 * 64 / 4096.0f, 8 * 32 / 4096.0f, 54 * 64 / 4096.0f, 21 * 64 / 4096.0f});
}

TEST_CASE("Profile entries match values moved by passes by original or current name") {
  Graph graph = two_convs();
  for (size_t i = 0; i < graph.num_values(); ++i) {
    Value& value = graph.value(static_cast<ValueId>(i));
    if (value.name != "c1") continue;
    value.name = "c1.moved";
    value.same_elements_as = "activated";
  }
  Graph same = graph.clone();
  CHECK(quantized(graph, profile_of({{"x", 6}, {"activated", 6}})).s8_nodes == 2);
  CHECK(quantized(same, profile_of({{"x", 6}, {"c1.moved", 6}})).s8_nodes == 2);
}

TEST_CASE("Rounding floor drops the low bits") {
  Graph graph = two_convs();
  QuantizeOptions options = plain_options();
  options.rounding = ops::Rounding::kFloor;
  quantized(graph, profile_of({{"x", 6}, {"c1", 6}}), options);
  CHECK(run(graph, {kInput}) ==
        std::vector<float>{30 * 64 / 4096.0f, 8 * 32 / 4096.0f, 54 * 64 / 4096.0f, 20 * 64 / 4096.0f});
}

TEST_CASE("The last accumulators stay wide and keep their name") {
  Graph graph = two_convs();
  quantized(graph, profile_of({{"x", 6}, {"c1", 6}, {"c2", 3}}));
  CHECK(node_of(graph, "c2").as<ops::Conv>()->wide_output);
  CHECK_FALSE(node_of(graph, "c1").as<ops::Conv>()->wide_output);
  CHECK(graph.value(graph.outputs[0]).name == "c2");
  CHECK(graph.value(graph.outputs[0]).type == DataType::kF32);
}

TEST_CASE("The activation of the last Conv is applied to its accumulators in f32") {
  Graph graph;
  const ValueId x = test::add_input(graph, "x", {1, 1, 1, 4});
  graph.outputs = {conv(graph, x, "c", {1.0f}, 1, ops::ActivationKind::kRelu)};
  quantized(graph, profile_of({{"x", 6}, {"c", 3}}));
  CHECK(node_of(graph, "c").as<ops::Conv>()->wide_output);
  CHECK(test::count(graph, Kind::kUnary) == 1);
  CHECK(graph.value(graph.outputs[0]).name == "c");
  CHECK(run(graph, {kInput}) == std::vector<float>{0.5f, 0.0f, 1.0f, 19 / 64.0f});
}

TEST_CASE("An activation without an s8 form is computed in f32 between s8 operators") {
  Graph graph;
  const ValueId x = test::add_input(graph, "x", {1, 1, 1, 4});
  const ValueId c1 = conv(graph, x, "c1", {1.0f}, 1, ops::ActivationKind::kHardSwish);
  graph.outputs = {conv(graph, c1, "c2", {1.0f}, 1)};
  const QuantizationReport report = quantized(graph, profile_of({{"x", 6}, {"c1", 6}}));
  CHECK(report.s8_nodes == 2);
  CHECK(test::count(graph, Kind::kUnary) == 1);
  CHECK(test::count(graph, Kind::kQuantize) == 2);
  // 0.5 * (0.5 / 6 + 0.5) = 0.2917 -> 19; -0.1146 -> -7; 0.6667 -> 43; 19 / 64: 0.1631 -> 10
  CHECK(run(graph, {kInput}) == std::vector<float>{19 / 64.0f, -7 / 64.0f, 43 / 64.0f, 10 / 64.0f});
}

TEST_CASE("A value with f32 users is dequantized for them") {
  Graph graph = two_convs();
  graph.outputs.push_back(node_of(graph, "c1").outputs[0]);
  quantized(graph, profile_of({{"x", 6}, {"c1", 6}}));
  CHECK(test::count(graph, Kind::kDequantize) == 1);
  CHECK(graph.value(graph.outputs[1]).name == "c1");
  CHECK(graph.value(graph.outputs[1]).type == DataType::kF32);
}

TEST_CASE("The operands of a Concat share the exponent of the widest") {
  Graph graph;
  const ValueId x = test::add_input(graph, "x", {1, 1, 1, 4});
  const ValueId a = conv(graph, x, "a", {1.0f}, 1), b = conv(graph, x, "b", {1.0f}, 1);
  const ValueId pool = test::add(graph, test::pool_attributes(ops::PoolKind::kMax, {1, 1}), {b}, "pool");
  const ValueId joined = test::add(graph, test::concat_attributes(1), {a, pool}, "joined");
  graph.outputs = {conv(graph, joined, "last", {1.0f, 1.0f}, 1)};
  quantized(graph, profile_of({{"x", 6}, {"a", 6}, {"b", 4}, {"pool", 5}, {"joined", 5}}));
  for (const char* value : {"a.s8", "b.s8", "pool.s8", "joined.s8"}) CHECK(exponent_of(graph, value) == 4);
  CHECK(test::count(graph, Kind::kRequantize) == 0);
}

TEST_CASE("The scale of a sum is not finer than its finer operand") {
  Graph graph;
  const ValueId x = test::add_input(graph, "x", {1, 1, 1, 4});
  const ValueId a = conv(graph, x, "a", {1.0f}, 1), b = conv(graph, x, "b", {0.5f}, 1);
  const ValueId sum = test::add(graph, test::binary_attributes(ops::BinaryKind::kAdd), {a, b}, "sum");
  graph.outputs = {conv(graph, sum, "last", {1.0f}, 1)};
  const QuantizationReport report = quantized(graph, profile_of({{"x", 6}, {"a", 5}, {"b", 6}, {"sum", 7}}));
  CHECK(report.s8_nodes == 4);
  CHECK(exponent_of(graph, "sum.s8") == 6);
  // ((16 << 1) + 16) / 64, ...
  CHECK(run(graph, {kInput}) == std::vector<float>{0.75f, -0.375f, 1.5f, (20 + 10) / 64.0f});
}

TEST_CASE("A sum of operands with very different scales stays in f32") {
  Graph graph;
  const ValueId x = test::add_input(graph, "x", {1, 1, 1, 4});
  const ValueId a = conv(graph, x, "a", {1.0f}, 1), b = conv(graph, x, "b", {1e-9f}, 1);
  const ValueId sum = test::add(graph, test::binary_attributes(ops::BinaryKind::kAdd), {a, b}, "sum");
  graph.outputs = {conv(graph, sum, "last", {1.0f}, 1)};
  const QuantizationReport report = quantized(graph, profile_of({{"x", 6}, {"a", 5}, {"b", 30}, {"sum", 5}}));
  CHECK(report.s8_nodes == 3);
  CHECK(graph.value(node_of(graph, "sum").outputs[0]).type == DataType::kF32);
}

TEST_CASE("Averages that are much smaller than their inputs are computed in f32") {
  for (const int average : {4, 5}) {
    Graph graph;
    const ValueId x = test::add_input(graph, "x", {1, 1, 1, 4});
    const ValueId a = conv(graph, x, "a", {1.0f}, 1);
    const ValueId pool = test::add(graph, test::pool_attributes(ops::PoolKind::kAverage, {1, 4}), {a}, "pool");
    graph.outputs = {conv(graph, pool, "last", {1.0f}, 1)};
    quantized(graph, profile_of({{"x", 6}, {"a", 4}, {"pool", average}}));
    CHECK(test::count(graph, Kind::kQuantize) == (average == 4 ? 1 : 2));
    CHECK(exponent_of(graph, "pool.s8") == average);
  }
}

TEST_CASE("With a single scale, all values use the scale of the value with the widest range") {
  Graph graph = two_convs();
  QuantizeOptions options = plain_options();
  options.scales = Scales::kSingle;
  quantized(graph, profile_of({{"x", 6}, {"c1", 4}, {"c2", 5}}), options);
  CHECK(exponent_of(graph, "x.s8") == 4);
  CHECK(exponent_of(graph, "c1.s8") == 4);
}

TEST_CASE("With scales per tensor, weights have one exponent") {
  Graph graph;
  const ValueId x = test::add_input(graph, "x", {1, 1, 1, 4});
  graph.outputs = {conv(graph, x, "c", {0.75f, 3.0f}, 2)};
  QuantizeOptions options = plain_options();
  options.per_channel = false;
  quantized(graph, profile_of({{"x", 6}}), options);
  const Value& weights = graph.value(node_of(graph, "c").inputs[1]);
  CHECK(weights.quantization->axis == -1);
  CHECK(weights.quantization->exponents == std::vector<int8_t>{5});
}

TEST_CASE("A node without calibration stays f32, and the report contains the reason") {
  Graph graph = two_convs();
  const QuantizationReport report = quantized(graph, profile_of({{"c1", 6}}));
  CHECK(report.s8_nodes == 1);
  REQUIRE(report.kept.size() == 1);
  CHECK(report.kept[0].name == "c1");
  CHECK_THAT(report.kept[0].reason, Contains("'x'"));
}

TEST_CASE("A node whose accumulators could overflow stays f32, and the report contains the reason") {
  Graph graph;
  const ValueId x = test::add_input(graph, "x", {1, 300000});
  const ValueId w = graph.add_constant("w", std::vector<float>(600000, 1.0f), {300000, 2});
  const ValueId hidden = test::add(graph, ops::Dense{}, {x, w}, "hidden");
  graph.outputs = {
      test::add(graph, ops::Dense{}, {hidden, graph.add_constant("v", std::vector<float>{1, 1}, {2, 1})}, "last")};
  const QuantizationReport report = quantized(graph, profile_of({{"x", 0}, {"hidden", 6}}));
  REQUIRE(report.kept.size() == 1);
  CHECK(report.kept[0].name == "hidden");
  CHECK_THAT(report.kept[0].reason, Contains("32 bits"));
  CHECK(report.s8_nodes == 1);
}

TEST_CASE("Nodes stay f32 on request, and an unknown name is rejected") {
  Graph graph = two_convs();
  QuantizeOptions options = plain_options();
  options.keep_f32 = {"c1"};
  const QuantizationReport report = quantized(graph, profile_of({{"x", 6}, {"c1", 6}}), options);
  REQUIRE(report.kept.size() == 1);
  CHECK(report.kept[0].name == "c1");
  CHECK(graph.value(node_of(graph, "c1").inputs[0]).name == "x");
  Graph other = two_convs();
  options.keep_f32 = {"nowhere"};
  const auto refused = quantize(other, profile_of({{"x", 6}, {"c1", 6}}), options);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code() == Code::kInvalidArgument);
  CHECK_THAT(std::string(refused.error().message()), Contains("nowhere"));
}

TEST_CASE("Convs and Denses that share weights have separate integers") {
  Graph graph;
  const ValueId x = test::add_input(graph, "x", {1, 1, 1, 4});
  const ValueId w = graph.add_constant("w", std::vector<float>{0.5f}, {1, 1, 1, 1});
  const ValueId a = test::add(graph, test::conv_attributes({1, 1}), {x, w}, "a");
  graph.outputs = {test::add(graph, test::conv_attributes({1, 1}), {a, w}, "b")};
  quantized(graph, profile_of({{"x", 6}, {"a", 13}}));
  // The exponent 2^-13 clips almost all of +-1/64; b is half of a.
  CHECK(run(graph, {kInput})[0] == 127 / 8192.0f / 2);
}

TEST_CASE("A quantized network is bit-identical with and without a fused residual") {
  std::mt19937 generator(7);
  for (const ops::Rounding rounding : {ops::Rounding::kHalfUp, ops::Rounding::kFloor}) {
    Graph graph;
    const ValueId x = test::add_input(graph, "x", {1, 16, 4, 4});
    const ValueId a = test::add_conv(graph, generator, x, 16, 3, 1);
    const ValueId b = test::add_conv(graph, generator, a, 16, 3, 1);
    ops::Binary add = test::binary_attributes(ops::BinaryKind::kAdd);
    add.activation.kind = ops::ActivationKind::kRelu;
    const ValueId sum = test::add(graph, std::move(add), {b, a}, "sum");
    graph.outputs = {test::add_conv(graph, generator, sum, 4, 1)};
    QuantizationProfile profile = profile_of({{"x", 5}, {"sum", 4}});
    for (const ValueId id : {a, b}) {
      profile.values.emplace_back();
      profile.values.back().name = graph.value(id).name;
      profile.values.back().exponent = id == a ? 5 : 6;
    }
    QuantizeOptions options = plain_options();
    options.rounding = rounding;
    CHECK(quantized(graph, profile, options).s8_nodes == 4);
    Graph fused = graph.clone();
    CHECK(fuse_residual(fused).value() == 1);
    CHECK(test::count(fused, Kind::kBinary) == 0);
    const auto inputs = test::random_inputs(graph, generator);
    CHECK(run(fused, inputs) == run(graph, inputs));
  }
}
