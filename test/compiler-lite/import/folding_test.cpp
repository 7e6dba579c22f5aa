// SPDX-License-Identifier: Apache-2.0
// Tests constant folding during import, and its limits on the work and memory that a small file can cause.
#include <onnx/onnx_pb.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <random>

#include "compiler-lite/import/import.h"
#include "compiler-lite/passes/optimise.h"
#include "nestrt/log.h"
#include "test/compiler-lite/import/model_builder.h"
#include "test/compiler-lite/import/refusal.h"

namespace nestrt::test {
namespace {

using compiler::ImportOptions;

// Returns a model with the constant "ones" of the given shape.
ModelBuilder ones(const std::vector<int64_t>& shape) {
  ModelBuilder model;
  model.constant("shape", shape).node("ConstantOfShape", {"shape"}, {"ones"});
  return model;
}

// Returns the number of nodes that remain if `output` is the only output.
size_t nodes_left(ModelBuilder& model, const std::string& output) {
  ImportOptions options;
  options.limits.folded_bytes = 1 << 30;  // leaves the budget of steps as the only limit
  const auto graph = model.output(output).import(options);
  INFO(graph.error().to_string());
  REQUIRE(graph);
  return graph->nodes().size();
}

TEST_CASE("Expensive computations of a small file are not folded") {
  ModelBuilder matrices = ones({3000, 3000});
  matrices.node("MatMul", {"ones", "ones"}, {"y"});
  CHECK(nodes_left(matrices, "y") == 1);

  ModelBuilder pool = ones({1, 1, 2000, 2000});
  onnx::NodeProto& window = pool.node("MaxPool", {"ones"}, {"y"});
  set_attribute(window, "kernel_shape", std::vector<int64_t>{1501, 1501});
  set_attribute(window, "pads", std::vector<int64_t>{750, 750, 750, 750});
  CHECK(nodes_left(pool, "y") == 1);

  ModelBuilder norm = ones({1, 20000, 20, 20});
  set_attribute(norm.node("LRN", {"ones"}, {"y"}), "size", int64_t{20001});
  CHECK(nodes_left(norm, "y") == 1);

  ModelBuilder reductions = ones({6000, 6000});
  reductions.node("ReduceSum", {"ones"}, {"y"});
  CHECK(nodes_left(reductions, "y") == 1);
}

TEST_CASE("Weights that many nodes transpose are computed once") {
  ModelBuilder model;
  model.input("x0", {1, 64}).constant("weights", {64, 64}, std::vector<float>(64 * 64, 0.5f));
  for (int i = 0; i < 100; ++i) {
    const std::string number = std::to_string(i), next = std::to_string(i + 1);
    set_attribute(model.node("Gemm", {"x" + number, "weights"}, {"x" + next}), "transB", int64_t{1});
  }
  ImportOptions options;
  options.limits.folded_bytes = 64 * 64 * sizeof(float);
  const auto graph = model.output("x100").import(options);
  REQUIRE(graph);
  CHECK(graph->nodes().size() == 100);
}

TEST_CASE("Many small computations share one folding budget") {
  ModelBuilder model = ones({200, 200});
  for (int i = 0; i < 200; ++i)
    model.node("MatMul", {i == 0 ? "ones" : "y" + std::to_string(i - 1), "ones"}, {"y" + std::to_string(i)});
  const size_t left = nodes_left(model, "y199");
  CHECK(left > 100);
  CHECK(left < 200);
}

TEST_CASE("A shape that depends on a computation beyond the limits is rejected with the reason") {
  ModelBuilder model = ones({3000, 3000});
  model.input("x", {4}).output("y");
  model.node("MatMul", {"ones", "ones"}, {"product"});
  set_attribute(model.node("ReduceMax", {"product"}, {"largest"}), "keepdims", int64_t{0});
  set_attribute(model.node("Cast", {"largest"}, {"size"}), "to", int64_t{onnx_type::kInt64});
  model.node("Reshape", {"x", "size"}, {"y"});
  const std::string message = message_of(model);
  CHECK(contains(message, "tensor 'size'"));
  CHECK(contains(message, "exceeds the limits"));
}

TEST_CASE("Computed constants have a common limit, checked before allocation") {
  ModelBuilder one = ones({500'000'000});
  CHECK(contains(message_of(one.output("ones")), "limit"));

  ModelBuilder many;
  many.constant("shape", std::vector<int64_t>{1 << 20});
  for (int i = 0; i < 10; ++i) {
    many.node("ConstantOfShape", {"shape"}, {"c" + std::to_string(i)});
    many.output("c" + std::to_string(i));
  }
  ImportOptions options;
  options.limits.folded_bytes = 16 << 20;
  CHECK(contains(message_of(many, options), "limit"));
  CHECK(many.import());
}

TEST_CASE("Operators whose results exceed the limit stay in the graph") {
  ModelBuilder model;
  model.constant("one", {1}, {1.0f}).constant("shape", std::vector<int64_t>{1 << 20});
  for (int i = 0; i < 8; ++i) model.node("Expand", {"one", "shape"}, {"c" + std::to_string(i)});
  model.node("Sum", {"c0", "c1", "c2", "c3", "c4", "c5", "c6", "c7"}, {"y"}, "sum");
  ImportOptions options;
  options.limits.folded_bytes = 16 << 20;
  const auto graph = model.output("y").import(options);
  INFO(graph.error().to_string());
  REQUIRE(graph);
  CHECK(graph->nodes().size() > 4);
}

TEST_CASE("Passes fold constants within the importer's remaining budget") {
  constexpr int kConstants = 8;
  ModelBuilder model;
  model.input("x", {1 << 18}).constant("c", {1 << 18}, std::vector<float>(1 << 18, 1));
  for (int i = 0; i < kConstants; ++i) {
    const std::string n = std::to_string(i);
    model.constant("s" + n, {1}, {static_cast<float>(i + 2)});
    model.node("Div", {"c", "s" + n}, {"c" + n});
    model.node("Max", {"x", "c" + n}, {"y" + n});
    model.output("y" + n);
  }
  ImportOptions options;
  options.limits.folded_bytes = 0;  // the model's 1 MB adds 3 MB to the budget: three of eight
  auto graph = model.import(options);
  REQUIRE(graph);
  REQUIRE(compiler::optimise(*graph, {}).ok());
  const auto is_left = [&](const auto& node) { return graph->value(node->inputs[0]).is_constant(); };
  CHECK(std::count_if(graph->nodes().begin(), graph->nodes().end(), is_left) == kConstants - 3);
}

// Adds 8-bit weights that a Cast and a Mul convert to floats, and a product with them.
void add_narrow_layer(ModelBuilder& model, const std::string& x, const std::string& y, int64_t width) {
  const auto count = static_cast<size_t>(width * width);
  model.constant(y + "_q", {width, width}, std::vector<int32_t>(count, 3), onnx_type::kInt8);
  model.constant(y + "_s", {1, width}, std::vector<float>(static_cast<size_t>(width), 0.01F));
  set_attribute(model.node("Cast", {y + "_q"}, {y + "_f"}), "to", int64_t{onnx_type::kFloat});
  model.node("Mul", {y + "_f", y + "_s"}, {y + "_w"});
  model.node("MatMul", {x, y + "_w"}, {y});
}

// Adds transposed weights with one norm per row, as weight normalization exports them.
void add_normalized_layer(ModelBuilder& model, const std::string& x, const std::string& y, int64_t width) {
  model.constant(y + "_v", {width, width}, std::vector<float>(static_cast<size_t>(width * width), 0.5F));
  set_attribute(model.node("ReduceL2", {y + "_v"}, {y + "_n"}), "axes", std::vector<int64_t>{1});
  model.node("Div", {y + "_v", y + "_n"}, {y + "_w"});
  set_attribute(model.node("Gemm", {x, y + "_w"}, {y}), "transB", int64_t{1});
}

// Adds a Reshape to a shape that is computed from the shape of x.
void add_computed_reshape(ModelBuilder& model, const std::string& x, const std::string& y) {
  model.node("Shape", {x}, {y + "_shape"});
  model.constant(y + "_first", std::vector<int64_t>{0}).constant(y + "_rest", std::vector<int64_t>{-1});
  model.node("Gather", {y + "_shape", y + "_first"}, {y + "_rows"});
  set_attribute(model.node("Concat", {y + "_rows", y + "_rest"}, {y + "_target"}), "axis", int64_t{0});
  model.node("Reshape", {x, y + "_target"}, {y});
}

TEST_CASE("Models whose constants depend on their own weights are folded completely, regardless of their size") {
  std::mt19937 generator(7);
  for (int model_number = 0; model_number < 50; ++model_number) {
    ModelBuilder model;
    const auto width = static_cast<int64_t>(16 + generator() % 200);
    const auto layers = static_cast<int>(2 + generator() % 12);
    model.input("x0", {2, width}).output("x" + std::to_string(layers));
    for (int i = 0; i < layers; ++i) {
      const std::string x = "x" + std::to_string(i), y = "x" + std::to_string(i + 1);
      const unsigned kind = generator() % 3;
      if (kind == 0) add_narrow_layer(model, x, y, width);
      if (kind == 1) add_normalized_layer(model, x, y, width);
      if (kind == 2) add_computed_reshape(model, x, y);
    }
    ImportOptions options;
    options.limits.folded_bytes = 0;  // only the budget that the model's constants add
    options.limits.folding_steps = 1 << 20;
    const auto graph = model.import(options);
    INFO("model " << model_number << ": " << graph.error().to_string());
    REQUIRE(graph);
    const auto computes_constants = [&](const auto& node) {
      return std::ranges::all_of(node->inputs, [&](compiler::ValueId id) { return graph->value(id).is_constant(); });
    };
    CHECK(std::ranges::count_if(graph->nodes(), computes_constants) == 0);
  }
}

TEST_CASE("Weights beyond the limit leave shapes computable, and the log names the option that folds them") {
  std::string warning;
  set_log_hook([&](LogLevel, std::string_view message) { warning = message; });
  ModelBuilder model = ones({1 << 20});
  model.input("x", {4, 2}).output("y").output("z");
  model.node("Neg", {"ones"}, {"y"});
  add_computed_reshape(model, "x", "z");
  ImportOptions options;
  options.limits.folded_bytes = 4 << 20;  // `ones` uses all of it
  const auto graph = model.import(options);
  set_log_hook({});
  INFO(graph.error().to_string());
  REQUIRE(graph);
  CHECK_THAT(warning, Catch::Contains("1 operators") && Catch::Contains("--computed-constants 8"));
}

TEST_CASE("Lists that are read as wider integers count with their wider size") {
  ImportOptions options;
  options.limits.folded_bytes = 1 << 20;
  ModelBuilder model;
  onnx::TensorProto& mask = *model.graph().add_initializer();
  mask.set_name("mask");
  mask.set_data_type(onnx_type::kBool);
  mask.add_dims(1 << 20);
  mask.set_raw_data(std::string(1 << 20, '\1'));
  model.input("x", {1 << 20}).output("y").node("Compress", {"x", "mask"}, {"y"});
  CHECK(contains(message_of(model, options), "limit"));
  ModelBuilder hits;
  *hits.graph().add_initializer() = mask;
  hits.output("y").node("NonZero", {"mask"}, {"y"});
  CHECK(contains(message_of(hits, options), "limit"));
}

TEST_CASE("NonZero returns positions for all axes") {
  ModelBuilder model;
  model.constant("x", {2, 3}, {0, 1, 2, 3, 0, 5}).node("NonZero", {"x"}, {"positions"});
  set_attribute(model.node("Cast", {"positions"}, {"y"}), "to", int64_t{onnx_type::kFloat});
  const auto graph = model.output("y").import();
  REQUIRE(graph);
  CHECK(run(*graph, {}) == std::vector<float>{0, 0, 1, 1, 1, 2, 0, 2});
}

TEST_CASE("A reduction along no axis applies its element-wise functions only") {
  const std::pair<const char*, std::vector<float>> expected[] = {
      {"ReduceL1", {2, 4}},    {"ReduceL2", {2, 4}},   {"ReduceLogSumExp", {-2, 4}}, {"ReduceMax", {-2, 4}},
      {"ReduceMean", {-2, 4}}, {"ReduceSum", {-2, 4}}, {"ReduceSumSquare", {4, 16}},
  };
  for (const auto& [op_type, y] : expected) {
    INFO(op_type);
    ModelBuilder model(18);
    onnx::NodeProto& node = model.constant("x", {2}, {-2, 4}).node(op_type, {"x"}, {"y"});
    set_attribute(node, "noop_with_empty_axes", int64_t{1});
    const auto graph = model.output("y").import();
    REQUIRE(graph);
    CHECK(run(*graph, {}) == y);
  }
}

TEST_CASE("ReduceSumSquare and ReduceL1 accept integers") {
  for (const auto& [op_type, y] : {std::pair("ReduceL1", 9.0f), {"ReduceSumSquare", 41.0f}}) {
    ModelBuilder model;
    model.constant("x", {2}, {-4, 5});
    set_attribute(model.node("Cast", {"x"}, {"integers"}), "to", int64_t{onnx_type::kInt32});
    set_attribute(model.node(op_type, {"integers"}, {"sum"}), "keepdims", int64_t{0});
    set_attribute(model.node("Cast", {"sum"}, {"y"}), "to", int64_t{onnx_type::kFloat});
    const auto graph = model.output("y").import();
    INFO(graph.error().to_string());
    REQUIRE(graph);
    CHECK(run(*graph, {}) == std::vector<float>{y});
  }
}

}  // namespace
}  // namespace nestrt::test
