// SPDX-License-Identifier: Apache-2.0
// Tests QDQ graphs with power-of-two scales before and after fuse_qdq and use_exponents. The original graphs compute
// ONNX's definition in f32, which represents all sums here exactly. The bytes must be the same before and after.
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

class PowerOfTwoGraph {
 public:
  explicit PowerOfTwoGraph(DataType type = DataType::kS8) : type_(type) {}

  std::mt19937 generator{3};
  Graph graph;

  plan::Quantization scale(int exponent, int zero_point = 0) const {
    const int zero = zero_point + (type_ == DataType::kU8 ? 128 : 0);
    return {.exponents = {}, .scales = {std::ldexp(1.0f, -exponent)}, .zero_points = {zero}};
  }

  // Adds a Quantize and a Dequantize with any scales.
  ValueId through(ValueId x, const plan::Quantization& scales, const std::string& name = "") {
    const ValueId integers = add(graph, ops::Quantize{.to = type_}, {x});
    graph.value(integers).quantization = scales;
    return add(graph, ops::Dequantize(), {integers}, name);
  }
  ValueId through(ValueId x, int exponent, const std::string& name = "") { return through(x, scale(exponent), name); }

  ValueId input(const Shape& shape, int exponent, const std::string& name = "x") {
    return through(add_input(graph, name, shape), exponent);
  }

  // Multiples of 2^-exponent.
  ValueId integers(const Shape& shape, int exponent, int largest, bool are_weights) {
    std::uniform_int_distribution<int> element(-largest, largest);
    std::vector<float> elements(static_cast<size_t>(shape.num_elements()));
    for (float& x : elements) x = std::ldexp(static_cast<float>(element(generator)), -exponent);
    const ValueId id = graph.add_constant("constant", elements, shape);
    if (are_weights)
      graph.value(id).source_quantization = plan::Quantization{{}, {std::ldexp(1.0f, -exponent)}, {0}, -1};
    return id;
  }

  ValueId conv(ValueId x, const Shape& weights, ops::Conv attributes) {
    return add(graph, std::move(attributes),
               {x, integers(weights, 7, 127, true), integers({weights[0]}, 4, 60, false)});
  }

  // Runs the passes and requires equal bytes for inputs with many ties.
  void check(ValueId output) {
    graph.outputs = {output};
    graph.tidy();
    const Graph before = graph.clone();
    for (const auto pass : {&compiler::average_factors, &compiler::fuse_qdq, &compiler::use_exponents}) {
      const auto changes = pass(graph);
      INFO(changes.error().to_string());
      REQUIRE(changes);
    }
    std::vector<compiler::HostTensor> inputs = random_inputs(before, generator);
    for (compiler::HostTensor& input : inputs) {
      auto* elements = reinterpret_cast<float*>(input.elements.data());
      for (int64_t i = 0; i < input.shape.num_elements(); i += 2) elements[i] = std::nearbyint(elements[i] * 64) / 64;
    }
    const auto expected = compiler::interpret(before, inputs), actual = compiler::interpret(graph, inputs);
    INFO(actual.error().to_string());
    REQUIRE(expected);
    REQUIRE(actual);
    CHECK((*actual)[0].elements == (*expected)[0].elements);
  }

  bool has_exponents(ValueId id) const {
    const auto& quantization = graph.value(id).quantization;
    return quantization && !quantization->exponents.empty();
  }

  // Returns true if every node of the kind reads and writes exponents.
  bool computes_with_exponents(Kind kind) const {
    for (const auto& node : graph.nodes()) {
      const bool is_wide = node->as<ops::Conv>() != nullptr && node->as<ops::Conv>()->wide_output;
      if (node->kind() == kind && !(has_exponents(node->inputs[0]) && (is_wide || has_exponents(node->outputs[0]))))
        return false;
    }
    return count(graph, kind) > 0;
  }

 private:
  DataType type_;
};

}  // namespace

TEST_CASE("A convolution with power-of-two scales computes with exponents and rounds half to even") {
  for (const DataType type : {DataType::kS8, DataType::kU8})
    for (const auto kind : {ops::ActivationKind::kNone, ops::ActivationKind::kRelu, ops::ActivationKind::kClip}) {
      PowerOfTwoGraph net(type);
      ops::Conv conv = conv_attributes({3, 3}, 1);
      conv.activation = {kind, -0.3f, 2.5f};
      net.check(net.through(net.conv(net.input({1, 3, 9, 8}, 5), {20, 3, 3, 3}, conv), 3, "y"));
      CHECK(net.computes_with_exponents(Kind::kConv));
      for (const auto& node : net.graph.nodes())
        if (const auto* found = node->as<ops::Conv>()) CHECK(found->rounding == ops::Rounding::kHalfEven);
    }
}

TEST_CASE("Depthwise convolutions, Dense and wide results compute with exponents") {
  PowerOfTwoGraph net;
  ValueId x = net.through(net.conv(net.input({2, 6, 5, 5}, 5), {6, 1, 3, 3}, conv_attributes({3, 3}, 1, 1, 6)), 4);
  x = add(net.graph, reshape_attributes({2, 150}), {x});
  x = net.through(add(net.graph, ops::Dense(), {x, net.integers({150, 7}, 8, 127, true)}), 2);
  net.check(add(net.graph, ops::Dense(), {x, net.integers({7, 3}, 6, 127, true)}, "y"));
  CHECK(net.computes_with_exponents(Kind::kConv));
  CHECK(count(net.graph, Kind::kDense) == 2);
  for (const auto& node : net.graph.nodes())
    if (node->kind() == Kind::kDense) CHECK(net.has_exponents(node->inputs[0]));
}

TEST_CASE("Operands of an addition and of a Concat may have different scales") {
  PowerOfTwoGraph net(DataType::kU8);
  const ValueId a = net.input({1, 4, 5, 3}, 6, "a"), b = net.input({1, 4, 5, 3}, 3, "b");
  ops::Binary sum = binary_attributes(ops::BinaryKind::kAdd);
  sum.activation.kind = ops::ActivationKind::kRelu;
  const ValueId c = net.through(add(net.graph, sum, {a, b}), 2);
  net.check(net.through(add(net.graph, concat_attributes(1), {c, a, b}), 4, "y"));
  CHECK(net.computes_with_exponents(Kind::kBinary));
  CHECK(net.computes_with_exponents(Kind::kConcat));
}

TEST_CASE("Operators that move elements may change the scale") {
  PowerOfTwoGraph net;
  ValueId x = net.through(net.conv(net.input({1, 3, 6, 6}, 5), {4, 3, 1, 1}, conv_attributes({1, 1})), 5);
  x = net.through(add(net.graph, pool_attributes(ops::PoolKind::kMax, {2, 2}), {x}), 5);
  x = net.through(add(net.graph, transpose_attributes({0, 2, 3, 1}), {x}), 3);
  x = net.through(add(net.graph, unary_attributes(ops::UnaryKind::kLeakyRelu, 26.0f / 256), {x}), 4);
  net.check(net.through(add(net.graph, reshape_attributes({1, 100}), {x}), 6, "y"));
  CHECK(net.computes_with_exponents(Kind::kPool));
  CHECK(net.computes_with_exponents(Kind::kRequantize));
}

TEST_CASE("Averages with a factor or another scale become depthwise convolutions") {
  for (const auto& [side, factor] : {std::pair(3, 63.0f / 64), {7, 1029.0f / 1024}, {2, 1.0f}}) {
    PowerOfTwoGraph net(DataType::kU8);
    ValueId x = add(net.graph, pool_attributes(ops::PoolKind::kAverage, {side, side}), {net.input({1, 3, 9, 9}, 5)});
    if (factor != 1) x = add(net.graph, binary_attributes(ops::BinaryKind::kMul), {x, scalar(net.graph, factor)});
    net.check(net.through(x, 6, "y"));
    CHECK(count(net.graph, Kind::kPool) == 0);
    CHECK(net.computes_with_exponents(Kind::kConv));
  }
}

TEST_CASE("Averages that no shift can compute keep their operator") {
  for (const float factor : {1.0f, 0.97f, NAN, -200.0f}) {
    PowerOfTwoGraph net;
    ValueId x = add(net.graph, pool_attributes(ops::PoolKind::kAverage, {3, 3}), {net.input({1, 3, 9, 9}, 5)});
    if (factor != 1) x = add(net.graph, binary_attributes(ops::BinaryKind::kMul), {x, scalar(net.graph, factor)});
    net.check(net.through(x, 5, "y"));
    CHECK(count(net.graph, Kind::kConv) == 0);
    CHECK(count(net.graph, Kind::kPool) == 1);
  }
}

TEST_CASE("An average whose weights would exceed the budget for constants stays") {
  PowerOfTwoGraph net;
  constexpr int64_t kChannels = 2048;  // smaller constants have a reserve
  net.graph.folding = compiler::FoldingBudget(kChannels * 4 * 4 - 1);
  const ValueId x = net.input({1, kChannels, 4, 4}, 5);
  net.check(net.through(add(net.graph, pool_attributes(ops::PoolKind::kAverage, {4, 4}), {x}), 6));
  CHECK(count(net.graph, Kind::kConv) == 0);
}

TEST_CASE("Windows that are cut by padding keep their average") {
  PowerOfTwoGraph net;
  ValueId x = add(net.graph, pool_attributes(ops::PoolKind::kAverage, {2, 2}, 1), {net.input({1, 3, 6, 6}, 5)});
  net.check(net.through(x, 6, "y"));
  CHECK(count(net.graph, Kind::kPool) == 1);
}

TEST_CASE("Operators with other scales keep them, and a Requantize converts to and from exponents") {
  PowerOfTwoGraph net;
  const ValueId x = net.through(net.conv(net.input({1, 3, 6, 6}, 5), {4, 3, 1, 1}, conv_attributes({1, 1})), 4);
  const plan::Quantization odd{.exponents = {}, .scales = {0.03f}, .zero_points = {5}};
  ValueId y = net.through(net.conv(x, {4, 4, 1, 1}, conv_attributes({1, 1})), odd);
  y = net.through(net.conv(y, {4, 4, 1, 1}, conv_attributes({1, 1})), 4);
  y = add(net.graph, binary_attributes(ops::BinaryKind::kAdd), {x, y});
  net.graph.outputs = {net.through(y, 3, "y")};
  net.graph.tidy();
  REQUIRE(compiler::fuse_qdq(net.graph));
  const Graph scaled = net.graph.clone();
  REQUIRE(compiler::use_exponents(net.graph));
  CHECK(count(net.graph, Kind::kRequantize) == 2);
  CHECK(net.computes_with_exponents(Kind::kBinary));
  const auto inputs = random_inputs(scaled, net.generator);
  const auto expected = compiler::interpret(scaled, inputs), actual = compiler::interpret(net.graph, inputs);
  REQUIRE(expected);
  REQUIRE(actual);
  CHECK((*actual)[0].elements == (*expected)[0].elements);
}

TEST_CASE("Scales and zero points that exponents cannot express stay") {
  for (const plan::Quantization& scales :
       {plan::Quantization{{}, {0.03f}, {0}, -1}, {{}, {0.25f}, {1}, -1}, {{}, {0x1p-66f}, {0}, -1}}) {
    PowerOfTwoGraph net;
    net.graph.outputs = {
        net.through(net.conv(net.input({1, 3, 6, 6}, 5), {4, 3, 1, 1}, conv_attributes({1, 1})), scales, "y")};
    net.graph.tidy();
    REQUIRE(compiler::fuse_qdq(net.graph));
    CHECK(compiler::use_exponents(net.graph).value() == 0);
  }
}

TEST_CASE("Convolutions that need left shifts, or whose sums overflow with the rounding term, keep their scales") {
  PowerOfTwoGraph net;
  const ValueId x = net.input({1, 3, 6, 6}, 5);
  net.check(net.through(net.conv(x, {4, 3, 1, 1}, conv_attributes({1, 1})), 13, "y"));  // products: 5 + 7
  CHECK_FALSE(net.computes_with_exponents(Kind::kConv));
  PowerOfTwoGraph large;
  const ValueId bias = large.graph.add_constant("bias", std::vector<float>{2.0e9f, -1}, {2});
  large.graph.outputs = {
      large.through(add(large.graph, conv_attributes({1, 1}),
                        {large.input({1, 3, 2, 2}, 0), large.integers({2, 3, 1, 1}, 0, 9, true), bias}),
                    -31, "y")};
  large.graph.tidy();
  REQUIRE(compiler::fuse_qdq(large.graph));
  CHECK(compiler::use_exponents(large.graph).value() == 0);
}

TEST_CASE("A model with a different rounding applies it to all values with power-of-two scales") {
  for (const ops::Rounding rounding : {ops::Rounding::kHalfUp, ops::Rounding::kFloor}) {
    PowerOfTwoGraph net;
    net.graph.qdq_rounding = rounding;
    const ValueId x = net.through(net.conv(net.input({1, 3, 6, 6}, 5), {4, 3, 1, 1}, conv_attributes({1, 1})), 4);
    net.graph.outputs = {net.through(add(net.graph, transpose_attributes({0, 2, 3, 1}), {x}), 2, "y")};
    net.graph.tidy();
    REQUIRE(compiler::fuse_qdq(net.graph));
    REQUIRE(compiler::use_exponents(net.graph));
    for (const auto& node : net.graph.nodes()) {
      if (const auto* conv = node->as<ops::Conv>()) CHECK(conv->rounding == rounding);
      if (const auto* requantize = node->as<ops::Requantize>()) CHECK(requantize->rounding == rounding);
      if (const auto* quantize = node->as<ops::Quantize>()) CHECK(quantize->rounding == ops::Rounding::kHalfUp);
    }
    CHECK(count(net.graph, Kind::kRequantize) == 1);
  }
}

}  // namespace nestrt::test
