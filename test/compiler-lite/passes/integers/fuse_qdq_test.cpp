// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <cstring>

#include "compiler-lite/graph/interpreter.h"
#include "compiler-lite/passes/passes.h"
#include "test/compiler-lite/graph_tools.h"

namespace nestrt::test {
namespace {

using compiler::Graph;
using compiler::Node;
using compiler::ValueId;
using ops::Kind;

plan::Quantization quantization(float scale, int zero_point) {
  plan::Quantization result;
  result.scales = {scale};
  result.zero_points = {zero_point};
  return result;
}

ValueId quantize(Graph& graph, ValueId x, float scale, int zero_point, DataType type = DataType::kU8) {
  ops::Quantize table;
  table.to = type;
  const ValueId integers = add(graph, std::move(table), {x});
  graph.value(integers).quantization = quantization(scale, zero_point);
  return integers;
}

ValueId dequantize(Graph& graph, ValueId integers, const std::string& name = "") {
  return add(graph, ops::Dequantize(), {integers}, name);
}

// Adds a Quantize and a Dequantize, as QDQ models contain around every operator.
ValueId through_u8(Graph& graph, ValueId x, float scale, int zero_point, const std::string& name = "") {
  return dequantize(graph, quantize(graph, x, scale, zero_point), name);
}

// Adds floats dequantized from s8, with a scale for each index of `axis`.
ValueId weights(Graph& graph, std::mt19937& generator, const Shape& shape, const std::vector<float>& scales, int axis) {
  std::uniform_int_distribution<int> element(-127, 127);
  std::vector<float> elements(static_cast<size_t>(shape.num_elements()));
  const auto inner = static_cast<size_t>(shape.product(axis + 1, shape.rank()));
  for (size_t i = 0; i < elements.size(); ++i)
    elements[i] = static_cast<float>(element(generator)) * scales[i / inner % scales.size()];
  const ValueId id = graph.add_constant("weights", elements, shape);
  graph.value(id).source_quantization.emplace();
  graph.value(id).source_quantization->scales = scales;
  graph.value(id).source_quantization->zero_points.assign(scales.size(), 0);
  graph.value(id).source_quantization->axis = axis;
  return id;
}

// Runs the pass and checks that no output changes by more than `limit`.
void rewrite(Graph& graph, ValueId output, double limit) {
  std::mt19937 generator(5);
  graph.outputs = {output};
  graph.tidy();
  const Graph before = graph.clone();
  REQUIRE(compiler::fuse_qdq(graph).has_value());
  const auto inputs = random_inputs(before, generator);
  const auto expected = compiler::interpret(before, inputs), actual = compiler::interpret(graph, inputs);
  REQUIRE(expected.has_value());
  REQUIRE(actual.has_value());
  REQUIRE((*actual)[0].type == (*expected)[0].type);
  if ((*actual)[0].type != DataType::kF32) {
    CHECK((*actual)[0].elements == (*expected)[0].elements);
    return;
  }
  const auto *a = reinterpret_cast<const float*>((*actual)[0].elements.data()),
             *b = reinterpret_cast<const float*>((*expected)[0].elements.data());
  double largest = 0;
  for (int64_t i = 0; i < (*actual)[0].shape.num_elements(); ++i)
    largest = std::max(largest, std::abs(double{a[i]} - b[i]));
  CHECK(largest <= limit);
}

const Node& only(const Graph& graph, Kind kind) {
  const Node* found = nullptr;
  for (const auto& node : graph.nodes())
    if (node->kind() == kind) found = node.get();
  REQUIRE(count(graph, kind) == 1);
  return *found;
}

bool takes_s8(const Graph& graph, const Node& node) { return graph.value(node.inputs[0]).type == DataType::kS8; }

TEST_CASE("A Conv between Dequantize and Quantize becomes an s8 Conv") {
  std::mt19937 generator(1);
  Graph graph;
  const ValueId x = through_u8(graph, add_input(graph, "x", {1, 3, 6, 5}), 0.03f, 131);
  const ValueId w = weights(graph, generator, {4, 3, 3, 3}, {0.01f, 0.02f, 0.005f, 0.3f}, 0);
  const ValueId bias = random_constant(graph, generator, {4});
  ops::Conv conv = conv_attributes({3, 3}, 1);
  conv.activation.kind = ops::ActivationKind::kRelu;
  const ValueId y = add(graph, std::move(conv), {x, w, bias});
  rewrite(graph, through_u8(graph, y, 0.5f, 10, "y"), 0.5001);
  const Node& found = only(graph, Kind::kConv);
  CHECK(takes_s8(graph, found));
  CHECK(graph.value(found.inputs[0]).quantization->zero_points == std::vector<int32_t>{3});
  CHECK(graph.value(found.inputs[1]).type == DataType::kS8);
  CHECK(graph.value(found.inputs[1]).quantization->scales.size() == 4);
  CHECK(graph.value(found.inputs[2]).type == DataType::kS32);
  CHECK(graph.value(found.outputs[0]).quantization->zero_points == std::vector<int32_t>{-118});
  CHECK(graph.nodes().size() == 3);
}

TEST_CASE("A Dense with a float result outputs its accumulators") {
  std::mt19937 generator(1);
  Graph graph;
  const ValueId x = through_u8(graph, add_input(graph, "x", {2, 7}), 0.03f, 131);
  const ValueId w = weights(graph, generator, {7, 3}, {0.01f, 0.02f, 0.005f}, 1);
  rewrite(graph, add(graph, ops::Dense(), {x, w}, "y"), 1e-4);
  CHECK(only(graph, Kind::kDense).as<ops::Dense>()->wide_output);
  CHECK(graph.nodes().size() == 2);
}

TEST_CASE("A Conv with an activation without an integer form outputs its accumulators") {
  for (const bool is_quantized : {false, true}) {
    std::mt19937 generator(1);
    Graph graph;
    const ValueId x = through_u8(graph, add_input(graph, "x", {1, 3, 6, 5}), 0.03f, 131);
    ops::Conv conv = conv_attributes({3, 3}, 1);
    conv.activation = {ops::ActivationKind::kLeakyRelu, 0.1f, 0.0f};
    const ValueId w = weights(graph, generator, {4, 3, 3, 3}, {0.01f}, -1);
    const ValueId y = add(graph, std::move(conv), {x, w}, is_quantized ? "" : "y");
    rewrite(graph, is_quantized ? through_u8(graph, y, 0.5f, 10, "y") : y, 1e-4);
    const Node& found = only(graph, Kind::kConv);
    CHECK(takes_s8(graph, found));
    CHECK(found.as<ops::Conv>()->wide_output);
    CHECK(count(graph, Kind::kUnary) == 1);
  }
}

TEST_CASE("A float bias is added to float accumulators and an integer bias to integer accumulators") {
  for (const Shape& weights_shape : {Shape{3, 2, 1, 1}, Shape{2, 3}})
    for (const bool is_integer : {false, true}) {
      std::mt19937 generator(1);
      Graph graph;
      const bool is_conv = weights_shape.rank() == 4;
      const Shape x_shape = is_conv ? Shape{1, 2, 4, 3} : Shape{5, 2};
      const ValueId x = through_u8(graph, add_input(graph, "x", x_shape), 1.0f, 131);
      const ValueId w = weights(graph, generator, weights_shape, {0.3f, 0.02f, 0.005f}, is_conv ? 0 : 1);
      const ValueId bias = is_integer ? graph.add_constant("b", std::vector<float>{0.3f, -0.04f, 0.5f}, {3})
                                      : random_constant(graph, generator, {3});
      const ValueId y = is_conv ? add(graph, conv_attributes({1, 1}), {x, w, bias}, "y")
                                : add(graph, ops::Dense(), {x, w, bias}, "y");
      rewrite(graph, y, 1e-4);
      const Node& product = only(graph, is_conv ? Kind::kConv : Kind::kDense);
      CHECK(takes_s8(graph, product));
      CHECK((product.input(2) != compiler::kNoValue) == is_integer);
      CHECK(count(graph, Kind::kBinary) == (is_integer ? 0 : 1));
    }
}

TEST_CASE("A float bias that is finer than accumulator steps is added before the result is quantized") {
  std::mt19937 generator(1);
  for (const bool is_conv : {false, true}) {
    Graph graph;
    const ValueId x = through_u8(graph, add_input(graph, "x", is_conv ? Shape{1, 2, 4, 3} : Shape{5, 2}), 1.0f, 128);
    const Shape weights_shape = is_conv ? Shape{3, 2, 1, 1} : Shape{2, 3};
    const ValueId w = weights(graph, generator, weights_shape, {0.5f, 0.5f, 0.5f}, is_conv ? 0 : 1);
    const ValueId bias = graph.add_constant("b", std::vector<float>{0.24f, -0.12f, 0.01f}, {3});
    ops::Conv conv = conv_attributes({1, 1});
    conv.activation.kind = ops::ActivationKind::kRelu;
    const ValueId y = is_conv ? add(graph, std::move(conv), {x, w, bias}) : add(graph, ops::Dense(), {x, w, bias});
    rewrite(graph, through_u8(graph, y, 0.01f, 10, "y"), 0.01001);
    const Node& product = only(graph, is_conv ? Kind::kConv : Kind::kDense);
    CHECK(takes_s8(graph, product));
    CHECK(product.input(2) == compiler::kNoValue);
    CHECK(only(graph, Kind::kBinary).as<ops::Binary>()->activation.kind ==
          (is_conv ? ops::ActivationKind::kRelu : ops::ActivationKind::kNone));
  }
}

TEST_CASE("A Conv stays float if its weights are not integers or not scaled per output channel") {
  std::mt19937 generator(1);
  for (const bool other_axis : {false, true}) {
    Graph graph;
    const ValueId x = through_u8(graph, add_input(graph, "x", {1, 2, 4, 4}), 0.03f, 131);
    const ValueId w = other_axis ? weights(graph, generator, {3, 2, 1, 1}, {0.01f, 0.02f}, 1)
                                 : random_constant(graph, generator, {3, 2, 1, 1});
    const ValueId y = add(graph, conv_attributes({1, 1}), {x, w});
    rewrite(graph, through_u8(graph, y, 0.5f, 10, "y"), 0);
    CHECK(!takes_s8(graph, only(graph, Kind::kConv)));
  }
}

TEST_CASE("A Conv whose sums could overflow int32 stays float") {
  Graph graph;
  const ValueId x = through_u8(graph, add_input(graph, "x", {1, 70000, 1, 1}), 1.0f, 0);
  const ValueId w = graph.add_constant("w", std::vector<float>(70000, 127.0f), {1, 70000, 1, 1});
  graph.value(w).source_quantization = quantization(1.0f, 0);
  const ValueId y = add(graph, conv_attributes({1, 1}), {x, w});
  rewrite(graph, through_u8(graph, y, 1e6f, 10, "y"), 0);
  CHECK(!takes_s8(graph, only(graph, Kind::kConv)));
}

TEST_CASE("Add, average pool and Concat between Dequantize and Quantize compute with s8") {
  Graph graph;
  const ValueId a = through_u8(graph, add_input(graph, "a", {1, 3, 4, 4}), 0.03f, 131);
  const ValueId b = through_u8(graph, add_input(graph, "b", {1, 3, 4, 4}), 0.05f, 90);
  const ValueId sum = through_u8(graph, add(graph, binary_attributes(ops::BinaryKind::kAdd), {a, b}), 0.06f, 128);
  const ValueId mean =
      through_u8(graph, add(graph, pool_attributes(ops::PoolKind::kAverage, {2, 2}, 1), {sum}), 0.04f, 100);
  const ValueId all = add(graph, concat_attributes(1), {mean, mean});
  rewrite(graph, through_u8(graph, all, 0.05f, 120, "y"), 0.1001);  // three consecutive roundings
  CHECK(takes_s8(graph, only(graph, Kind::kBinary)));
  CHECK(takes_s8(graph, only(graph, Kind::kPool)));
  CHECK(takes_s8(graph, only(graph, Kind::kConcat)));
  CHECK(count(graph, Kind::kQuantize) == 2);
  CHECK(count(graph, Kind::kDequantize) == 1);
}

TEST_CASE("Operators that move elements move s8 for any later operator") {
  Graph graph;
  const ValueId x = through_u8(graph, add_input(graph, "x", {1, 2, 4, 4}), 0.03f, 131);
  ValueId y = add(graph, pool_attributes(ops::PoolKind::kMax, {2, 2}), {x});
  y = add(graph, unary_attributes(ops::UnaryKind::kRelu), {y});
  y = add(graph, concat_attributes(1), {y, y});
  y = add(graph, transpose_attributes({0, 2, 3, 1}), {y});
  rewrite(graph, add(graph, reshape_attributes({36}), {y}, "y"), 0);
  CHECK(graph.nodes().size() == 7);
  CHECK(graph.nodes().back()->kind() == Kind::kDequantize);
  for (const auto& node : graph.nodes())
    if (node->kind() != Kind::kQuantize) CHECK(takes_s8(graph, *node));
}

TEST_CASE("A Quantize moves before operators that move elements") {
  std::mt19937 generator(1);
  Graph graph;
  const ValueId x = through_u8(graph, add_input(graph, "x", {2, 6}), 0.03f, 131);
  const ValueId w = weights(graph, generator, {6, 4}, {0.01f}, -1);
  const ValueId y = add(graph, reshape_attributes({8}), {add(graph, ops::Dense(), {x, w})});
  rewrite(graph, through_u8(graph, y, 0.05f, 120, "y"), 0.0501);
  CHECK(graph.value(only(graph, Kind::kDense).outputs[0]).type == DataType::kS8);
  CHECK(graph.nodes().size() == 4);
}

TEST_CASE("A Quantize after a Dequantize is removed or becomes a Requantize") {
  for (const float scale : {0.03f, 0.04f}) {
    Graph graph;
    const ValueId x = through_u8(graph, add_input(graph, "x", {9}), 0.03f, 131);
    rewrite(graph, through_u8(graph, x, scale, 131, "y"), 0);
    CHECK(count(graph, Kind::kQuantize) == 1);
    CHECK(count(graph, Kind::kRequantize) == (scale == 0.04f));
  }
}

TEST_CASE("An activation between Dequantize and Quantize becomes a table") {
  for (const ops::UnaryKind kind : {ops::UnaryKind::kSigmoid, ops::UnaryKind::kHardSwish, ops::UnaryKind::kRelu}) {
    Graph graph;
    const ValueId x = through_u8(graph, add_input(graph, "x", {99}), 0.03f, 131);
    rewrite(graph, through_u8(graph, add(graph, unary_attributes(kind), {x}), 0.01f, 3, "y"), 0);
    CHECK(count(graph, Kind::kUnary) == 0);
    CHECK(count(graph, Kind::kRequantize) == 1);
  }
}

TEST_CASE("Integers that are outputs of the model keep their values") {
  Graph graph;
  compiler::Value input;
  input.name = "x";
  input.type = DataType::kU8;
  input.shape = {5};
  input.quantization = quantization(0.5f, 128);
  const ValueId x = graph.add_value(std::move(input));
  graph.inputs.push_back({x, std::nullopt});
  const ValueId sum =
      add(graph, binary_attributes(ops::BinaryKind::kAdd), {dequantize(graph, x), dequantize(graph, x)});
  const ValueId y = quantize(graph, sum, 1.0f, 128);
  graph.outputs = {add(graph, reshape_attributes({5}), {y}, "y")};
  graph.tidy();
  REQUIRE(compiler::fuse_qdq(graph).has_value());
  CHECK(takes_s8(graph, only(graph, Kind::kBinary)));
  compiler::HostTensor bytes{DataType::kU8, {5}, compiler::Bytes(5)};
  const uint8_t elements[] = {0, 1, 128, 200, 255};
  std::memcpy(bytes.elements.data(), elements, sizeof elements);
  const auto outputs = compiler::interpret(graph, {bytes});
  REQUIRE(outputs.has_value());
  CHECK((*outputs)[0].type == DataType::kU8);
  CHECK((*outputs)[0].elements == bytes.elements);
}

TEST_CASE("Products, differences and slopes between Dequantize and Quantize compute with s8") {
  for (const ops::BinaryKind kind : {ops::BinaryKind::kMul, ops::BinaryKind::kSub, ops::BinaryKind::kPrelu}) {
    Graph graph;
    const ValueId a = through_u8(graph, add_input(graph, "a", {1, 3, 4, 4}), 0.03f, 131);
    const ValueId b = through_u8(graph, add_input(graph, "b", {1, 3, 1, 1}), 0.05f, 90);
    rewrite(graph, through_u8(graph, add(graph, binary_attributes(kind), {a, b}), 0.06f, 128, "y"), 0.0601);
    CHECK(takes_s8(graph, only(graph, Kind::kBinary)));
  }
}

TEST_CASE("A dequantized constant is an integer operand") {
  for (const int zero_point : {-3, 200}) {
    Graph graph;
    const ValueId a = through_u8(graph, add_input(graph, "a", {1, 2, 3, 4}), 0.03f, 131);
    const float low = 0.5f * static_cast<float>((zero_point < 0 ? -128 : 0) - zero_point);
    const ValueId b = graph.add_constant("b", std::vector<float>{low, low + 20.5f}, {2, 1, 1});
    graph.value(b).source_quantization = quantization(0.5f, zero_point);
    rewrite(graph, through_u8(graph, add(graph, binary_attributes(ops::BinaryKind::kMul), {a, b}), 3.0f, 128, "y"),
            3.001);
    const Node& product = only(graph, Kind::kBinary);
    CHECK(takes_s8(graph, product));
    CHECK(graph.value(product.inputs[1]).is_constant());
    CHECK(graph.value(product.inputs[1]).type == DataType::kS8);
  }
}

TEST_CASE("Maxima and linear resizing of one quantization compute with s8") {
  Graph graph;
  const ValueId a = through_u8(graph, add_input(graph, "a", {1, 3, 4, 4}), 0.03f, 131);
  const ValueId b = through_u8(graph, add_input(graph, "b", {1, 3, 4, 4}), 0.03f, 131);
  const ValueId larger = through_u8(graph, add(graph, binary_attributes(ops::BinaryKind::kMax), {a, b}), 0.03f, 131);
  ops::Resize resize;
  resize.mode = ops::ResizeMode::kLinear;
  resize.sizes = {1, 3, 7, 8};
  rewrite(graph, through_u8(graph, add(graph, resize, {larger}), 0.03f, 131, "y"), 0.0301);
  CHECK(takes_s8(graph, only(graph, Kind::kBinary)));
  CHECK(takes_s8(graph, only(graph, Kind::kResize)));
}

TEST_CASE("Operators without an integer form stay float between Dequantize and Quantize") {
  Graph graph;
  const ValueId a = through_u8(graph, add_input(graph, "a", {6}), 0.03f, 131);
  const ValueId b = through_u8(graph, add_input(graph, "b", {6}), 0.05f, 90);
  for (const ops::BinaryKind kind : {ops::BinaryKind::kDiv, ops::BinaryKind::kMax}) {
    const ValueId y = add(graph, binary_attributes(kind), {a, b});
    graph.outputs = {through_u8(graph, y, 0.06f, 128, std::string(ops::name(kind)))};
    graph.tidy();
    REQUIRE(compiler::fuse_qdq(graph).has_value());
    CHECK(!takes_s8(graph, only(graph, Kind::kBinary)));
  }
}

}  // namespace
}  // namespace nestrt::test
