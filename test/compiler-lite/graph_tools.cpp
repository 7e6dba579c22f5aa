// SPDX-License-Identifier: Apache-2.0
#include "test/compiler-lite/graph_tools.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "compiler-lite/codegen/cpu/cpu_backend.h"
#include "compiler-lite/graph/interpreter.h"
#include "compiler-lite/quantize/quantize.h"
#include "compiler-lite/stages.h"
#include "compiler-lite/target/target_description.h"

namespace nestrt::test {

using compiler::Graph;
using compiler::HostTensor;
using compiler::Value;
using compiler::ValueId;

ValueId add_input(Graph& graph, const std::string& name, const Shape& shape) {
  Value value;
  value.name = name;
  value.shape = shape;
  const ValueId id = graph.add_value(value);
  graph.inputs.push_back({id, {}});
  return id;
}

ValueId random_constant(Graph& graph, std::mt19937& generator, const Shape& shape, float low, float high) {
  std::uniform_real_distribution<float> distribution(low, high);
  std::vector<float> elements(static_cast<size_t>(shape.num_elements()));
  for (float& element : elements) element = distribution(generator);
  return graph.add_constant("constant" + std::to_string(graph.num_values()), elements, shape);
}

ValueId scalar(Graph& graph, float value) {
  return graph.add_constant("scalar" + std::to_string(graph.num_values()), std::vector<float>{value}, Shape{});
}

ValueId add(Graph& graph, ops::Attributes attributes, const std::vector<ValueId>& inputs, const std::string& name) {
  const std::string node_name = name.empty() ? "node" + std::to_string(graph.num_values()) : name;
  auto node = graph.add_node(node_name, std::move(attributes), inputs, {node_name});
  INFO(node.error().to_string());
  REQUIRE(node.has_value());
  return (*node)->outputs[0];
}

ops::Conv conv_attributes(const std::vector<int32_t>& kernel, int32_t pad, int32_t stride, int32_t group) {
  ops::Conv conv;
  conv.kernel = kernel;
  conv.stride.assign(kernel.size(), stride);
  conv.dilation.assign(kernel.size(), 1);
  conv.pad_begin.assign(kernel.size(), pad);
  conv.pad_end.assign(kernel.size(), pad);
  conv.group = group;
  return conv;
}

ValueId add_conv(Graph& graph, std::mt19937& generator, ValueId input, int64_t channels, int32_t kernel, int32_t pad,
                 bool bias, int32_t group) {
  const Shape shape = graph.value(input).shape;
  Shape weights{channels, shape[1] / group};
  for (int axis = 2; axis < shape.rank(); ++axis) weights.push_back(kernel);
  const float reach = 1.0f / std::sqrt(static_cast<float>(weights.product(1, weights.rank())));
  std::vector<ValueId> inputs = {input, random_constant(graph, generator, weights, -reach, reach)};
  if (bias) inputs.push_back(random_constant(graph, generator, {channels}));
  return add(graph, conv_attributes(std::vector<int32_t>(static_cast<size_t>(shape.rank() - 2), kernel), pad, 1, group),
             inputs);
}

ops::Pool pool_attributes(ops::PoolKind kind, const std::vector<int32_t>& kernel, int32_t pad) {
  ops::Pool pool;
  pool.kind = kind;
  pool.kernel = kernel;
  pool.stride.assign(kernel.size(), 1);
  pool.dilation.assign(kernel.size(), 1);
  pool.pad_begin.assign(kernel.size(), pad);
  pool.pad_end.assign(kernel.size(), pad);
  return pool;
}

ops::Unary unary_attributes(ops::UnaryKind kind, float alpha, float beta) { return {kind, alpha, beta}; }
ops::Binary binary_attributes(ops::BinaryKind kind) {
  ops::Binary binary;
  binary.kind = kind;
  return binary;
}
ops::Reshape reshape_attributes(const std::vector<int64_t>& shape) { return {shape}; }
ops::Transpose transpose_attributes(const std::vector<int32_t>& permutation) { return {permutation}; }
ops::Pad pad_attributes(const std::vector<int64_t>& begin, const std::vector<int64_t>& end, float value) {
  return {ops::PadMode::kConstant, begin, end, value};
}
ops::Concat concat_attributes(int32_t axis) { return {axis}; }

// Quantizes without corrections, because the profile contains only exponents.
void quantize_all(compiler::Graph& graph, int8_t exponent) {
  compiler::QuantizationProfile profile;
  for (size_t i = 0; i < graph.num_values(); ++i) {
    profile.values.emplace_back();
    profile.values.back().name = graph.value(static_cast<compiler::ValueId>(i)).name;
    profile.values.back().exponent = exponent;
  }
  compiler::QuantizeOptions options;
  options.corrections = {false, false};
  REQUIRE(compiler::quantize(graph, profile, options).has_value());
}

Status choose_layout(Graph& graph, const compiler::LayoutOptions& layout) {
  compiler::CompileOptions options;
  options.layout = layout;
  compiler::Compilation compilation{.model = {},
                                    .options = options,
                                    .backends = {compiler::make_cpu_backend(compiler::host_target().instruction_sets)}};
  compilation.graph = std::move(graph);
  compilation.graph.tidy();
  const Status status = compiler::run_stages(compilation, "placement", "codegen");
  graph = std::move(compilation.graph);
  return status;
}

int count(const Graph& graph, ops::Kind kind) {
  return static_cast<int>(std::count_if(graph.nodes().begin(), graph.nodes().end(),
                                        [&](const auto& node) { return node->kind() == kind; }));
}

std::vector<HostTensor> random_inputs(const Graph& graph, std::mt19937& generator, float low, float high) {
  std::uniform_real_distribution<float> distribution(low, high);
  std::vector<HostTensor> inputs;
  for (const auto& input : graph.inputs) {
    const Value& value = graph.value(input.value);
    REQUIRE(value.type == DataType::kF32);
    std::vector<float> elements(static_cast<size_t>(value.shape.num_elements()));
    for (float& element : elements) element = distribution(generator);
    HostTensor tensor{value.type, value.shape, compiler::Bytes(elements.size() * sizeof(float))};
    if (!elements.empty()) std::memcpy(tensor.elements.data(), elements.data(), tensor.elements.size());
    inputs.push_back(std::move(tensor));
  }
  return inputs;
}

namespace {

double relative_error(const HostTensor& actual, const HostTensor& expected) {
  double worst = 0;
  for (size_t i = 0; i < actual.elements.size(); i += sizeof(float)) {
    float a, b;
    std::memcpy(&a, &actual.elements[i], sizeof a);
    std::memcpy(&b, &expected.elements[i], sizeof b);
    if (std::isnan(a) && std::isnan(b)) continue;
    if (a == b) continue;
    const double error = std::abs(double{a} - b) / std::max(1.0, std::abs(double{b}));
    worst = std::isnan(error) ? std::numeric_limits<double>::infinity() : std::max(worst, error);
  }
  return worst;
}

}  // namespace

double difference(const Graph& actual, const Graph& expected, std::mt19937& generator) {
  REQUIRE(actual.inputs.size() == expected.inputs.size());
  REQUIRE(actual.outputs.size() == expected.outputs.size());
  for (size_t i = 0; i < actual.inputs.size(); ++i)
    REQUIRE(actual.value(actual.inputs[i].value).name == expected.value(expected.inputs[i].value).name);
  const std::vector<HostTensor> inputs = random_inputs(expected, generator);
  const auto left = compiler::interpret(actual, inputs);
  const auto right = compiler::interpret(expected, inputs);
  INFO(left.error().to_string() << ", " << right.error().to_string());
  REQUIRE(left.has_value());
  REQUIRE(right.has_value());
  double worst = 0;
  for (size_t i = 0; i < left->size(); ++i) {
    REQUIRE(actual.value(actual.outputs[i]).name == expected.value(expected.outputs[i]).name);
    REQUIRE((*left)[i].type == DataType::kF32);
    REQUIRE((*right)[i].type == DataType::kF32);
    REQUIRE((*left)[i].shape == (*right)[i].shape);
    worst = std::max(worst, relative_error((*left)[i], (*right)[i]));
  }
  return worst;
}

size_t nodes_left_by(Result<int> (*pass)(Graph&), Graph& graph, double tolerance) {
  std::mt19937 generator(1);
  const Graph before = graph.clone();
  REQUIRE(pass(graph).has_value());
  const double found = difference(graph, before, generator);
  CHECK((found == 0 || found < tolerance));
  return graph.nodes().size();
}

}  // namespace nestrt::test
