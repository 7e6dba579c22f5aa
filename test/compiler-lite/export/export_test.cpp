// SPDX-License-Identifier: Apache-2.0
#include "compiler-lite/export/export.h"

#include <onnx/onnx_pb.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstring>
#include <random>

#include "compiler-lite/export/export_table.h"
#include "compiler-lite/graph/interpreter.h"
#include "compiler-lite/graph/same_graph.h"
#include "compiler-lite/passes/optimise.h"
#include "compiler-lite/quantize/quantize.h"
#include "test/compiler-lite/graph_tools.h"
#include "test/compiler-lite/import/model_builder.h"

namespace nestrt::compiler {
namespace {

using Catch::Matchers::Contains;

onnx::ModelProto written(const Graph& graph, int64_t opset = kDefaultExportOpset) {
  const auto bytes = export_onnx(graph, {.opset = opset});
  INFO(bytes.error().to_string());
  REQUIRE(bytes);
  onnx::ModelProto model;
  REQUIRE(model.ParseFromString(*bytes));
  return model;
}

Graph read_back(const onnx::ModelProto& model) {
  auto graph = test::import_bytes(model.SerializeAsString());
  INFO(graph.error().to_string());
  REQUIRE(graph);
  return std::move(*graph);
}

std::vector<std::string> types_of(const onnx::ModelProto& model) {
  std::vector<std::string> types;
  for (const auto& node : model.graph().node()) types.push_back(node.op_type());
  return types;
}

void require_same(const Graph& actual, const Graph& expected) {
  const Status same = same_graph(actual, expected);
  INFO(same.to_string());
  REQUIRE(same.ok());
}

// Returns the last node of the given type.
const onnx::NodeProto& written_node(const onnx::ModelProto& model, const std::string& op_type) {
  for (int i = model.graph().node_size(); i > 0; --i)
    if (model.graph().node(i - 1).op_type() == op_type) return model.graph().node(i - 1);
  FAIL("no " << op_type);
  return model.graph().node(0);
}

const onnx::TensorProto& initializer_of(const onnx::ModelProto& model, const std::string& name) {
  for (const auto& tensor : model.graph().initializer())
    if (tensor.name() == name) return tensor;
  FAIL("no initializer " << name);
  return model.graph().initializer(0);
}

std::vector<float> floats_of(const onnx::ModelProto& model, const std::string& name) {
  const std::string& bytes = initializer_of(model, name).raw_data();
  std::vector<float> floats(bytes.size() / sizeof(float));
  std::memcpy(floats.data(), bytes.data(), bytes.size());
  return floats;
}

// Replaces QuantizeLinear by floor(x / scale + 1/2) within int8, which rounds halves up as nestrt does.
onnx::ModelProto rounding_half_up(const onnx::ModelProto& model) {
  onnx::ModelProto result = model;
  onnx::GraphProto& graph = *result.mutable_graph();
  graph.clear_node();
  graph.clear_value_info();
  for (const auto& [name, value] : {std::pair("half", 0.5f), std::pair("low", -128.0f), std::pair("high", 127.0f)}) {
    onnx::TensorProto& tensor = *graph.add_initializer();
    tensor.set_name(name);
    tensor.set_data_type(onnx::TensorProto::FLOAT);
    tensor.add_float_data(value);
  }
  const auto add = [&](const char* op_type, const std::vector<std::string>& inputs, const std::string& output) {
    onnx::NodeProto& node = *graph.add_node();
    node.set_op_type(op_type);
    for (const std::string& input : inputs) node.add_input(input);
    node.add_output(output);
    return &node;
  };
  for (const onnx::NodeProto& node : model.graph().node()) {
    if (node.op_type() != "QuantizeLinear") {
      *graph.add_node() = node;
      continue;
    }
    const std::string& y = node.output(0);
    add("Div", {node.input(0), node.input(1)}, y + "1");
    add("Add", {y + "1", "half"}, y + "2");
    add("Floor", {y + "2"}, y + "3");
    add("Clip", {y + "3", "low", "high"}, y + "4");
    test::set_attribute(*add("Cast", {y + "4"}, y), "to", int64_t{onnx::TensorProto::INT8});
  }
  return result;
}

Graph with_batch_normalization() {
  test::ModelBuilder model;
  model.input("x", {1, 2, 3, 3}).output("y");
  for (const char* name : {"scale", "bias", "mean", "variance"})
    model.constant(name, {2}, {0.3f, 2.0f + static_cast<float>(name[0])});
  model.constant("w", {2, 2, 1, 1}, {1, 2, 3, 4});
  model.node("Conv", {"x", "w"}, {"c"}, "conv");
  model.node("BatchNormalization", {"c", "scale", "bias", "mean", "variance"}, {"y"}, "bn");
  auto graph = model.import();
  REQUIRE(graph);
  return std::move(*graph);
}

}  // namespace

TEST_CASE("Every operator except Reorder and Opaque has an ONNX form") {
  for (size_t kind = 1; kind < ops::kNumKinds; ++kind) {
    const auto op = static_cast<ops::Kind>(kind);
    INFO(ops::name(op));
    const bool is_of_plans = op == ops::Kind::kReorder || op == ops::Kind::kOpaque;
    CHECK((find_export_rule(op) != nullptr) == !is_of_plans);
  }
}

TEST_CASE("Resize exports sizes if scales would round down by one in double precision") {
  const auto inputs_of = [](int64_t from, int64_t to) {
    test::ModelBuilder model(13);
    model.input("x", {1, 1, from, from}).output("y").constant("sizes", std::vector<int64_t>{1, 1, to, to});
    model.node("Resize", {"x", "", "", "sizes"}, {"y"});
    auto graph = model.import();
    REQUIRE(graph);
    return written_node(written(*graph), "Resize").input_size();
  };
  CHECK(inputs_of(27, 40) == 4);
  CHECK(inputs_of(10, 7) == 4);
  CHECK(inputs_of(4, 8) == 3);  // scales
}

TEST_CASE("Resize without scales, as in models of TensorFlow Lite, exports sizes") {
  Graph graph;
  Value x;
  x.name = "x";
  x.shape = {1, 1, 4, 5};
  graph.inputs.push_back({graph.add_value(std::move(x)), std::nullopt});
  ops::Resize resize;
  resize.mode = ops::ResizeMode::kLinear;
  resize.sizes = {1, 1, 8, 7};
  const auto node = graph.add_node("resize", resize, {graph.inputs[0].value}, {"y"});
  REQUIRE(node);
  graph.outputs = {(*node)->outputs[0]};
  CHECK(written_node(written(graph), "Resize").input_size() == 4);
}

TEST_CASE("BatchNormalization is exported as one operator and imported unchanged") {
  const Graph graph = with_batch_normalization();
  const onnx::ModelProto model = written(graph);
  CHECK(types_of(model) == std::vector<std::string>{"Conv", "BatchNormalization"});
  CHECK(written_node(model, "BatchNormalization").name() == "bn");
  require_same(read_back(model), graph);
}

TEST_CASE("An exported BatchNormalization has the model's parameters, not derived factors") {
  const onnx::ModelProto model = written(with_batch_normalization());
  const onnx::NodeProto& node = written_node(model, "BatchNormalization");
  REQUIRE(node.input_size() == 5);
  const char first[] = {'s', 'b', 'm', 'v'};
  for (int i = 0; i < 4; ++i)
    CHECK(floats_of(model, node.input(i + 1)) == std::vector<float>{0.3f, 2.0f + static_cast<float>(first[i])});
  CHECK(node.attribute(0).f() == 1e-5f);
}

TEST_CASE("A folded BatchNormalization is exported as a convolution only") {
  Graph graph = with_batch_normalization();
  REQUIRE(optimise(graph).ok());
  CHECK(types_of(written(graph)) == std::vector<std::string>{"Conv"});
}

TEST_CASE("Export keeps the names of inputs, outputs, values and nodes and the shapes of inputs and outputs") {
  const onnx::ModelProto model = written(with_batch_normalization());
  CHECK(model.graph().input(0).name() == "x");
  CHECK(model.graph().output(0).name() == "y");
  CHECK(model.graph().node(0).output(0) == "c");
  CHECK(model.graph().node(0).name() == "conv");
  CHECK(model.graph().output(0).type().tensor_type().elem_type() == onnx::TensorProto::FLOAT);
  CHECK(model.graph().output(0).type().tensor_type().shape().dim_size() == 4);
  CHECK(model.graph().output(0).type().tensor_type().shape().dim(1).dim_value() == 2);
  CHECK(model.opset_import(0).version() == kDefaultExportOpset);
}

TEST_CASE("The default form writes every attribute and stores the weights of Gemm by output") {
  test::ModelBuilder model;
  model.input("x", {1, 2, 4, 4}).output("y");
  model.constant("w", {2, 2, 1, 1}, std::vector<float>(4, 0.5f));
  model.node("Conv", {"x", "w"}, {"c"});
  test::set_attribute(model.node("MaxPool", {"c"}, {"p"}), "kernel_shape", std::vector<int64_t>{1, 1});
  model.node("Flatten", {"p"}, {"flat"});
  model.constant("v", {5, 32}, std::vector<float>(160, 0.25f));
  test::set_attribute(model.node("Gemm", {"flat", "v"}, {"y"}), "transB", int64_t{1});
  const auto graph = model.import();
  REQUIRE(graph);
  const onnx::ModelProto proto = written(*graph);
  const auto names_of = [&](const std::string& type) {
    std::vector<std::string> names;
    for (const auto& attribute : written_node(proto, type).attribute()) names.push_back(attribute.name());
    std::ranges::sort(names);
    return names;
  };
  using Names = std::vector<std::string>;
  CHECK(names_of("Conv") == Names{"dilations", "group", "kernel_shape", "pads", "strides"});
  CHECK(names_of("MaxPool") == Names{"ceil_mode", "dilations", "kernel_shape", "pads", "strides"});
  CHECK(names_of("Flatten") == Names{"axis"});
  CHECK(names_of("Gemm") == Names{"alpha", "beta", "transA", "transB"});
  CHECK(written_node(proto, "Gemm").input(1) == "v");
  require_same(read_back(proto), *graph);
}

TEST_CASE("Weights with one scale per tensor and f32 biases change nothing else") {
  test::ModelBuilder model;
  model.input("x", {1, 2, 2, 2}).output("y");
  model.constant("w", {2, 2, 1, 1}, {-128, 127, 4, 8}, test::onnx_type::kInt8);
  model.constant("b", {2}, {100, -7}, test::onnx_type::kInt32);
  model.constant("s", {2}, {0.5f, 0.25f}).constant("z", {2}, {0, 0}, test::onnx_type::kInt8);
  test::set_attribute(model.node("DequantizeLinear", {"w", "s", "z"}, {"wf"}), "axis", int64_t{0});
  test::set_attribute(model.node("DequantizeLinear", {"b", "s"}, {"bf"}), "axis", int64_t{0});
  model.node("Conv", {"x", "wf", "bf"}, {"y"});
  const auto graph = model.import();
  REQUIRE(graph);
  const auto bytes = export_onnx(*graph, {.per_tensor = true, .float_biases = true});
  REQUIRE(bytes);
  onnx::ModelProto proto;
  REQUIRE(proto.ParseFromString(*bytes));
  CHECK(types_of(proto) == std::vector<std::string>{"DequantizeLinear", "Conv"});
  std::mt19937 generator(1);
  CHECK(test::difference(read_back(proto), *graph, generator) < 1e-6);  // 4 and 8 steps of 0.25 are 2 and 4 of 0.5
}

TEST_CASE("The producer of an exported model can be set") {
  const auto bytes = export_onnx(with_batch_normalization(), {.producer = "pytorch"});
  REQUIRE(bytes);
  onnx::ModelProto proto;
  REQUIRE(proto.ParseFromString(*bytes));
  CHECK(proto.producer_name() == "pytorch");
  CHECK(proto.producer_version().empty());
}

TEST_CASE("Fused activations and residuals are exported as nodes and compute the same") {
  std::mt19937 generator(1);
  for (const ops::ActivationKind kind :
       {ops::ActivationKind::kRelu, ops::ActivationKind::kClip, ops::ActivationKind::kLeakyRelu,
        ops::ActivationKind::kHardSigmoid, ops::ActivationKind::kHardSwish, ops::ActivationKind::kSigmoid,
        ops::ActivationKind::kTanh, ops::ActivationKind::kSilu}) {
    Graph graph;
    const ValueId x = test::add_input(graph, "x", {1, 3, 5, 5});
    ops::Conv conv = test::conv_attributes({3, 3}, 1);
    conv.activation = {kind, 0.25f, 0.5f};
    const ValueId weights = test::random_constant(graph, generator, {3, 3, 3, 3});
    const ValueId bias = test::random_constant(graph, generator, {3});
    graph.outputs.push_back(test::add(graph, conv, {x, weights, bias, x}, "y"));
    for (int64_t opset = kOldestExportOpset; opset <= kNewestExportOpset; ++opset) {
      INFO(ops::name(kind) << ", opset " << opset);
      CHECK(test::difference(read_back(written(graph, opset)), graph, generator) < 1e-6);
    }
  }
}

TEST_CASE("Duplicate names become unique") {
  Graph graph;
  const ValueId x = test::add_input(graph, "x", {4});
  const ValueId a = test::add(graph, test::unary_attributes(ops::UnaryKind::kRelu), {x}, "x");
  const ValueId b = test::add(graph, test::unary_attributes(ops::UnaryKind::kTanh), {a}, "x");
  graph.outputs.push_back(b);
  graph.value(b).name = "y";
  require_same(read_back(written(graph)), graph);
}

TEST_CASE("Constants, inputs and values with two names can be outputs") {
  test::ModelBuilder model;
  model.input("x", {2}).constant("c", {2}, {1, 2});
  for (const char* name : {"of_constant", "of_input", "first", "second"}) model.output(name);
  model.node("Identity", {"c"}, {"of_constant"});
  model.node("Identity", {"x"}, {"of_input"});
  model.node("Relu", {"x"}, {"first"});
  model.node("Identity", {"first"}, {"second"});
  const auto graph = model.import();
  REQUIRE(graph);
  require_same(read_back(written(*graph)), *graph);
}

TEST_CASE("Integers of a model are exported as integers with DequantizeLinear and QuantizeLinear") {
  test::ModelBuilder model;
  model.input("x", {1, 2, 2, 2}).output("y");
  model.constant("w", {2, 2, 1, 1}, {-128, 127, 3, 5}, test::onnx_type::kInt8);
  model.constant("u", {2, 2, 1, 1}, {255, 0, 3, 5}, test::onnx_type::kUint8);
  model.constant("b", {2}, {100000, -7}, test::onnx_type::kInt32);
  model.constant("s", {2}, {0.1f, 0.3f}).constant("s1", {}, {0.07f});
  model.constant("z", {2}, {0, 0}, test::onnx_type::kInt8).constant("z1", {}, {17}, test::onnx_type::kUint8);
  test::set_attribute(model.node("DequantizeLinear", {"w", "s", "z"}, {"wf"}), "axis", int64_t{0});
  model.node("DequantizeLinear", {"u", "s1", "z1"}, {"uf"});
  test::set_attribute(model.node("DequantizeLinear", {"b", "s"}, {"bf"}), "axis", int64_t{0});
  model.node("QuantizeLinear", {"x", "s1", "z1"}, {"q"});
  model.node("DequantizeLinear", {"q", "s1", "z1"}, {"d"});
  model.node("Conv", {"d", "wf", "bf"}, {"c"});
  model.node("Conv", {"c", "uf", "bf"}, {"y"});
  const auto graph = model.import();
  INFO(graph.error().to_string());
  REQUIRE(graph);
  const onnx::ModelProto back = written(*graph);
  int integers = 0;
  for (const auto& tensor : back.graph().initializer())
    integers += tensor.dims_size() == 4 && tensor.data_type() != onnx::TensorProto::FLOAT;
  CHECK(integers == 2);
  require_same(read_back(back), *graph);
}

TEST_CASE("A constant may be an output and an operand") {
  Graph graph;
  const ValueId x = test::add_input(graph, "x", {2});
  const ValueId c = graph.add_constant("c", std::vector<float>{1, 2}, {2});
  const ValueId y = test::add(graph, test::binary_attributes(ops::BinaryKind::kAdd), {x, c}, "y");
  for (const std::vector<ValueId>& outputs : {std::vector{y, c}, std::vector{c, y}}) {
    graph.outputs = outputs;
    const Graph back = read_back(written(graph));
    std::mt19937 generator(1);
    CHECK(test::difference(back, graph, generator) == 0);
  }
}

TEST_CASE("The value of a Pad of integers is exported exactly") {
  for (const int32_t value : {16777217, INT32_MAX, INT32_MIN, -5, 0}) {
    test::ModelBuilder model;
    model.input("x", {1}, test::onnx_type::kInt32);
    model.constant("pads", std::vector<int64_t>{1, 0});
    model.constant("value", {}, std::vector<int32_t>{value}, test::onnx_type::kInt32);
    model.node("Pad", {"x", "pads", "value"}, {"y"});
    model.output("y");
    const auto graph = model.import();
    INFO(graph.error().to_string());
    REQUIRE(graph);
    const onnx::ModelProto back = written(*graph);
    require_same(read_back(back), *graph);
    const onnx::NodeProto& pad = written_node(back, "Pad");
    if (value == 0) continue;
    int32_t stored = 0;
    std::memcpy(&stored, initializer_of(back, pad.input(2)).raw_data().data(), sizeof stored);
    CHECK(stored == value);
  }
}

TEST_CASE("A constant that is not a multiple of its scale is exported unchanged") {
  Graph graph;
  const ValueId x = test::add_input(graph, "x", {2});
  const ValueId c = graph.add_constant("c", std::vector<float>{0.1f, 0.25f}, {2});
  graph.value(c).source_quantization = plan::Quantization{{}, {0.1f}, {0}, -1};
  graph.outputs.push_back(test::add(graph, test::binary_attributes(ops::BinaryKind::kAdd), {x, c}, "y"));
  CHECK(types_of(written(graph)) == std::vector<std::string>{"Add"});
}

TEST_CASE(
    "A quantized graph becomes QDQ with power-of-two scales and computes the same bits apart from rounding of halves") {
  std::mt19937 generator(1);
  Graph graph;
  const ValueId x = test::add_input(graph, "x", {1, 2, 4, 4});
  const ValueId c = test::add_conv(graph, generator, x, 3);
  graph.value(c).name = "c";
  const ValueId r = test::add(graph, test::unary_attributes(ops::UnaryKind::kRelu), {c}, "r");
  const ValueId d = test::add_conv(graph, generator, r, 2);
  graph.value(d).name = "y";
  graph.outputs.push_back(d);
  QuantizationProfile profile;
  for (const auto& [name, exponent] : {std::pair("x", 5), std::pair("r", 4), std::pair("y", 4)}) {
    profile.values.emplace_back();
    profile.values.back().name = name;
    profile.values.back().exponent = exponent;
  }
  QuantizeOptions options;
  options.corrections = {false, false, false};
  PassOptions passes;
  passes.quantizes = true;
  REQUIRE(optimise(graph, passes).ok());
  const auto report = quantize(graph, profile, options);
  REQUIRE(report);
  REQUIRE(report->s8_nodes == 2);
  const onnx::ModelProto model = written(graph);
  CHECK(types_of(model).front() == "QuantizeLinear");
  const onnx::TensorProto& scale = initializer_of(model, model.graph().node(0).input(1));
  float value = 0;
  std::memcpy(&value, scale.raw_data().data(), sizeof value);
  CHECK(value == 0x1p-5f);
  const onnx::NodeProto& conv = written_node(model, "Conv");
  for (const std::string& operand : conv.input()) {
    INFO(operand);
    CHECK(std::any_of(model.graph().node().begin(), model.graph().node().end(), [&](const onnx::NodeProto& node) {
      return node.op_type() == "DequantizeLinear" && node.output(0) == operand;
    }));
  }
  const Graph again = read_back(model);
  const auto inputs = test::random_inputs(graph, generator, -3, 3);
  const auto quantized = interpret(graph, inputs), of_onnx = interpret(read_back(rounding_half_up(model)), inputs);
  INFO(of_onnx.error().to_string());
  REQUIRE(quantized);
  REQUIRE(of_onnx);
  CHECK((*of_onnx)[0].elements == (*quantized)[0].elements);
  REQUIRE(model.metadata_props_size() == 1);
  CHECK(model.metadata_props(0).value() == "half_up");
  Graph compiled = read_back(model);
  CHECK(compiled.qdq_rounding == ops::Rounding::kHalfUp);
  REQUIRE(optimise(compiled).ok());
  const auto results = interpret(compiled, inputs);
  REQUIRE(results);
  CHECK((*results)[0].elements == (*quantized)[0].elements);
}

TEST_CASE("The rounding in a model's metadata must be known, and options override it") {
  test::ModelBuilder model;
  model.input("x", {2}).output("y").node("Relu", {"x"}, {"y"});
  CHECK(model.import()->qdq_rounding == ops::Rounding::kHalfEven);
  onnx::StringStringEntryProto& entry = *model.proto().add_metadata_props();
  entry.set_key("nestrt.rounding");
  entry.set_value("floor");
  CHECK(model.import()->qdq_rounding == ops::Rounding::kFloor);
  CHECK(written(*model.import()).metadata_props(0).value() == "floor");
  ImportOptions options;
  options.qdq_rounding = ops::Rounding::kHalfUp;
  CHECK(model.import(options)->qdq_rounding == ops::Rounding::kHalfUp);
  entry.set_value("nearest");
  CHECK_THAT(model.import().error().to_string(), Contains("'nearest'; expected half_even, half_up or floor"));
}

TEST_CASE("A pool whose last window starts in the padding is exported with the same windows and results") {
  std::mt19937 generator(11);
  for (const auto& [op_type, counts_pads] :
       {std::pair("MaxPool", false), {"AveragePool", false}, {"AveragePool", true}}) {
    for (const int64_t stride : {2, 3, 4}) {
      INFO(op_type << " " << stride << " " << counts_pads);
      test::ModelBuilder model;
      onnx::NodeProto& pool = model.input("x", {1, 1, 7, 7}).output("y").node(op_type, {"x"}, {"y"});
      test::set_attribute(pool, "kernel_shape", std::vector<int64_t>{2, 2});
      test::set_attribute(pool, "strides", std::vector<int64_t>{stride, stride});
      test::set_attribute(pool, "pads", std::vector<int64_t>{1, 1, 1, 1});
      test::set_attribute(pool, "ceil_mode", int64_t{1});
      if (counts_pads) test::set_attribute(pool, "count_include_pad", int64_t{1});
      const auto graph = model.import();
      REQUIRE(graph);
      const auto inputs = test::random_inputs(*graph, generator);
      const auto before = interpret(*graph, inputs), after = interpret(read_back(written(*graph)), inputs);
      REQUIRE(before);
      REQUIRE(after);
      CHECK((*after)[0].elements == (*before)[0].elements);
    }
  }
}

TEST_CASE("A Transpose of a scalar is exported") {
  test::ModelBuilder model;
  model.input("x", {}).output("y").node("Transpose", {"x"}, {"t"});
  model.node("Relu", {"t"}, {"y"});
  const auto graph = model.import();
  REQUIRE(graph);
  std::mt19937 generator(12);
  const auto inputs = test::random_inputs(*graph, generator);
  const auto before = interpret(*graph, inputs), after = interpret(read_back(written(*graph)), inputs);
  REQUIRE(before);
  REQUIRE(after);
  CHECK((*after)[0].elements == (*before)[0].elements);
}

TEST_CASE("Operators without an ONNX form are rejected by name") {
  Graph graph;
  const ValueId x = test::add_input(graph, "x", {1, 16, 2, 2});
  graph.outputs.push_back(test::add(graph, ops::Reorder(), {x}, "y"));
  graph.nodes()[0]->name = "reorder";
  const auto bytes = export_onnx(graph);
  REQUIRE_FALSE(bytes);
  CHECK(bytes.error().code() == Code::kUnsupported);
  CHECK_THAT(std::string(bytes.error().message()), Contains("'reorder' (Reorder)"));
}

TEST_CASE("Unsupported opsets are rejected") {
  const Graph graph = with_batch_normalization();
  for (const int64_t opset : {kOldestExportOpset - 1, kNewestExportOpset + 1}) {
    const auto bytes = export_onnx(graph, {.opset = opset});
    REQUIRE_FALSE(bytes);
    CHECK(bytes.error().code() == Code::kInvalidArgument);
  }
}

}  // namespace nestrt::compiler
