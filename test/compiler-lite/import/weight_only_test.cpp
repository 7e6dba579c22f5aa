// SPDX-License-Identifier: Apache-2.0
// Tests weights of 2 to 8 bits with float activations, and integers of other widths than 8 bits.
#include <onnx/onnx_pb.h>

#include <catch2/catch.hpp>
#include <functional>

#include "test/compiler-lite/graph_tools.h"
#include "test/compiler-lite/import/model_builder.h"
#include "test/compiler-lite/import/refusal.h"

namespace nestrt::test {
namespace {

using compiler::Graph;

constexpr int32_t kUint16 = 4, kInt16 = 5, kTypeUint4 = 21, kTypeInt4 = 22;

// Adds a constant whose elements are stored as these bytes.
void add_raw(ModelBuilder& model, const std::string& name, const std::vector<int64_t>& dims, int32_t type,
             const std::vector<uint8_t>& bytes) {
  onnx::TensorProto& tensor = *model.graph().add_initializer();
  tensor.set_name(name);
  tensor.set_data_type(type);
  for (const int64_t dim : dims) tensor.add_dims(dim);
  tensor.set_raw_data(bytes.data(), bytes.size());
}

int bits_of(const Graph& graph) {
  for (const auto& node : graph.nodes())
    if (const auto* product = node->as<ops::MatMulNBits>()) return product->bits;
  return 0;
}

ModelBuilder nbits_model(int64_t bits, const std::vector<int32_t>& b, int64_t columns, int64_t blocks) {
  ModelBuilder model;
  model.input("x", {1, 1, 20});
  model.constant("b", {columns, blocks, static_cast<int64_t>(b.size()) / columns / blocks}, b, onnx_type::kUint8);
  onnx::NodeProto& node = model.node("MatMulNBits", {"x", "b", "scales", "zeros", "", "bias"}, {"y"});
  node.set_domain("com.microsoft");
  set_attribute(node, "K", int64_t{20});
  set_attribute(node, "N", columns);
  set_attribute(node, "bits", bits);
  set_attribute(node, "block_size", int64_t{16});
  set_attribute(node, "accuracy_level", int64_t{4});
  model.output("y");
  return model;
}

}  // namespace

TEST_CASE("MatMulNBits reads packed weights, scales and zero points") {
  // Two columns of 20 weights in blocks of 16. Weights alternate between 1 and 2 in the first column, and between 3 and
  // 4 in the second.
  std::vector<int32_t> b;
  for (const int32_t byte : {0x21, 0x43}) b.insert(b.end(), 16, byte);
  ModelBuilder model = nbits_model(4, b, 2, 2);
  model.constant("scales", {4}, std::vector<float>{1, 10, 2, 100});
  model.constant("zeros", {2}, std::vector<int32_t>{0x10, 0x02}, onnx_type::kUint8);  // 0, 1 and 2, 0
  model.constant("bias", {2}, std::vector<float>{0.5f, -0.5f});
  const Graph graph = optimised(model);
  CHECK(bits_of(graph) == 4);
  // Column 0: 8 * (1 + 2) and 10 * 2 * (0 + 1); column 1: 2 * 8 * (1 + 2) and 100 * 2 * (3 + 4).
  CHECK(run(graph, {std::vector<float>(20, 1)}) == std::vector<float>{44.5f, 1447.5f});
}

TEST_CASE("MatMulNBits supports 2 and 8 bits, and float or missing zero points") {
  for (const int64_t bits : {2, 8}) {
    ModelBuilder model =
        nbits_model(bits, std::vector<int32_t>(static_cast<size_t>(4 * bits), bits == 2 ? 0xff : 0x83), 1, 2);
    model.constant("scales", {1, 2}, std::vector<float>{1, 10});
    model.constant("bias", {1}, std::vector<float>{0});
    ModelBuilder plain =
        nbits_model(bits, std::vector<int32_t>(static_cast<size_t>(4 * bits), bits == 2 ? 0xff : 0x83), 1, 2);
    plain.constant("scales", {1, 2}, std::vector<float>{1, 10}).constant("bias", {1}, std::vector<float>{0});
    plain.graph().mutable_node(0)->set_input(3, "");
    model.constant("zeros", {1, 2}, std::vector<float>{2.5f, 0});
    // Integers are 3 (2 bits, default zero point 2) or 131 (8 bits, 128).
    const auto step = static_cast<float>(bits == 2 ? 3 : 131);
    CHECK(run(optimised(model), {std::vector<float>(20, 1)}) == std::vector<float>{16 * (step - 2.5f) + 10 * 4 * step});
    CHECK(run(optimised(plain), {std::vector<float>(20, 1)}) ==
          std::vector<float>{bits == 2 ? 16.0f + 40 : 16.0f * 3 + 40 * 3});
  }
}

TEST_CASE("MatMulNBits with wrong sizes is rejected") {
  const auto refusal = [](const std::function<void(ModelBuilder&)>& change) {
    ModelBuilder model = nbits_model(4, std::vector<int32_t>(32, 0), 2, 2);
    model.constant("scales", {4}, std::vector<float>{1, 1, 1, 1});
    model.constant("zeros", {2}, std::vector<int32_t>{0, 0}, onnx_type::kUint8);
    model.constant("bias", {2}, std::vector<float>{0, 0});
    change(model);
    return message_of(model);
  };
  const auto set = [](const char* name, int64_t value) {
    return [=](ModelBuilder& model) {
      for (onnx::AttributeProto& attribute : *model.graph().mutable_node(0)->mutable_attribute())
        if (attribute.name() == name) attribute.set_i(value);
    };
  };
  CHECK(contains(refusal(set("bits", 3)), "3 bits are not supported"));
  CHECK(contains(refusal(set("block_size", 12)), "block_size 12"));
  CHECK(contains(refusal(set("K", 21)), "K is 21"));
  CHECK(contains(refusal(set("N", 3)), "expected 48 elements"));
  CHECK(contains(refusal(set("N", int64_t{1} << 40)), "not valid"));
  CHECK(contains(refusal([](ModelBuilder& model) { model.graph().mutable_node(0)->set_input(1, "x"); }), "constant"));
}

TEST_CASE("DequantizeLinear by blocks feeds a MatMul without becoming floats") {
  for (const int32_t type : {kTypeInt4, kTypeUint4}) {
    ModelBuilder model(21);
    model.input("x", {2, 4});
    // [4, 2]: 1, -2, 3, 4, 5, -6, 7, -8, or these numbers plus 8
    const std::vector<uint8_t> bytes =
        type == kTypeInt4 ? std::vector<uint8_t>{0xe1, 0x43, 0xa5, 0x87} : std::vector<uint8_t>{0x69, 0xcb, 0x2d, 0x0f};
    add_raw(model, "w", {4, 2}, type, bytes);
    model.constant("scales", {2, 2}, std::vector<float>{1, 2, 10, 100});
    add_raw(model, "zeros", {2, 2}, type,
            type == kTypeInt4 ? std::vector<uint8_t>{0, 0} : std::vector<uint8_t>{0x88, 0x88});
    onnx::NodeProto& node = model.node("DequantizeLinear", {"w", "scales", "zeros"}, {"wf"});
    set_attribute(node, "block_size", int64_t{2});
    set_attribute(node, "axis", int64_t{0});
    model.node("MatMul", {"x", "wf"}, {"y"});
    model.output("y");
    const Graph graph = optimised(model);
    CHECK(bits_of(graph) == 4);
    // Columns: [1, 3, 50, 70] and [-4, 8, -600, -800].
    CHECK(run(graph, {{1, 1, 1, 1, 0, 1, 0, -1}}) == std::vector<float>{124, -1396, -67, 808});
  }
}

TEST_CASE("8-bit weights stay integers if the input is float, even if they are transposed") {
  for (const bool transposed : {false, true}) {
    ModelBuilder model;
    model.input("x", {1, 3});
    model.constant(
        "w", transposed ? std::vector<int64_t>{2, 3} : std::vector<int64_t>{3, 2},
        transposed ? std::vector<int32_t>{100, 2, 3, -4, 5, -128} : std::vector<int32_t>{100, -4, 2, 5, 3, -128},
        onnx_type::kInt8);
    model.constant("scale", {2}, std::vector<float>{0.5f, 2});
    set_attribute(model.node("DequantizeLinear", {"w", "scale"}, {"wf"}), "axis", int64_t{transposed ? 0 : 1});
    if (transposed) set_attribute(model.node("Transpose", {"wf"}, {"wt"}), "perm", std::vector<int64_t>{1, 0});
    model.node("MatMul", {"x", transposed ? "wt" : "wf"}, {"p"});
    model.node("Relu", {"p"}, {"y"});
    model.output("y");
    const Graph graph = optimised(model);
    CHECK(bits_of(graph) == 8);
    CHECK(run(graph, {{1, 1, -1}}) == std::vector<float>{49.5f, 258});
  }
}

TEST_CASE("Quantization to 16 and 4 bits is exact") {
  const struct {
    int32_t type, zero;
    std::vector<float> expected;
  } kCases[] = {
      {kUint16, 32768, {0.5f, -1, 32767 * 0.5f, -16384}},
      {kInt16, 0, {0.5f, -1, 32767 * 0.5f, -16384}},
      {kTypeUint4, 8, {0.5f, -1, 3.5f, -4}},
      {kTypeInt4, 0, {0.5f, -1, 3.5f, -4}},
  };
  for (const auto& [type, zero, expected] : kCases) {
    ModelBuilder model(21);
    model.input("x", {4});
    model.constant("scale", {}, std::vector<float>{0.5f});
    const bool is_wide = type == kUint16 || type == kInt16;
    const auto low = static_cast<uint8_t>(zero), high = static_cast<uint8_t>(zero >> 8);
    add_raw(model, "zero", {}, type, is_wide ? std::vector<uint8_t>{low, high} : std::vector<uint8_t>{low});
    model.node("QuantizeLinear", {"x", "scale", "zero"}, {"q"});
    model.node("DequantizeLinear", {"q", "scale", "zero"}, {"y"});
    model.output("y");
    INFO("type " << type);
    CHECK(run(optimised(model), {{0.7f, -1.2f, 1e9f, -1e9f}}) == expected);
  }
}

TEST_CASE("Scales by block that do not match the shape are rejected") {
  ModelBuilder model(21);
  model.input("x", {2, 4});
  model.constant("w", {4, 2}, std::vector<int32_t>(8), onnx_type::kInt8);
  model.constant("scales", {3, 2}, std::vector<float>(6, 1.0f));
  onnx::NodeProto& node = model.node("DequantizeLinear", {"w", "scales"}, {"wf"});
  set_attribute(node, "block_size", int64_t{2});
  set_attribute(node, "axis", int64_t{0});
  model.node("MatMul", {"x", "wf"}, {"y"});
  model.output("y");
  CHECK(contains(message_of(model), "blocks of 2 of shape"));
}

}  // namespace nestrt::test
