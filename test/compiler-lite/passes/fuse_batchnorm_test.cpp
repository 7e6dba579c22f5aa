// SPDX-License-Identifier: Apache-2.0
#include "compiler-lite/passes/passes.h"
#include "test/compiler-lite/graph_tools.h"

namespace nestrt::test {
namespace {

using compiler::Graph;
using compiler::ValueId;
using ops::BinaryKind;

size_t nodes_left_by_batchnorm(Graph& graph, ValueId output) {
  graph.outputs = {output};
  return nodes_left_by(compiler::fuse_batchnorm, graph, 1e-5);
}

// y * scale + shift with constants of the given shape.
ValueId normalise(Graph& graph, std::mt19937& generator, ValueId y, const Shape& shape) {
  const ValueId scaled =
      add(graph, binary_attributes(BinaryKind::kMul), {y, random_constant(graph, generator, shape, 0.5f, 2)});
  return add(graph, binary_attributes(BinaryKind::kAdd), {random_constant(graph, generator, shape), scaled});
}

TEST_CASE("Scale and shift per channel are folded into the preceding Conv") {
  std::mt19937 generator(1);
  for (bool bias : {false, true}) {
    Graph graph;
    const ValueId conv = add_conv(graph, generator, add_input(graph, "x", {2, 4, 5, 5}), 6, 3, 1, bias, 2);
    CHECK(nodes_left_by_batchnorm(graph, normalise(graph, generator, conv, {6, 1, 1})) == 1);
  }
}

TEST_CASE("Scale and shift are folded into a 1-D Conv") {
  std::mt19937 generator(1);
  Graph graph;
  const ValueId conv = add_conv(graph, generator, add_input(graph, "x", {2, 4, 9}), 6, 3);
  CHECK(nodes_left_by_batchnorm(graph, normalise(graph, generator, conv, {1, 6, 1})) == 1);
}

TEST_CASE("Scale and shift are folded into a grouped ConvTranspose") {
  std::mt19937 generator(1);
  Graph graph;
  ops::ConvTranspose transposed;
  transposed.kernel = {2, 2};
  transposed.stride = {2, 2};
  transposed.dilation = {1, 1};
  transposed.pad_begin = transposed.pad_end = transposed.output_padding = {0, 0};
  transposed.group = 2;
  const ValueId y =
      add(graph, transposed, {add_input(graph, "x", {1, 4, 3, 3}), random_constant(graph, generator, {4, 3, 2, 2})});
  CHECK(nodes_left_by_batchnorm(graph, normalise(graph, generator, y, {6, 1, 1})) == 1);
}

TEST_CASE("Scale and shift are folded into Dense") {
  std::mt19937 generator(1);
  Graph graph;
  const ValueId y =
      add(graph, ops::Dense{}, {add_input(graph, "x", {3, 4}), random_constant(graph, generator, {4, 5})});
  CHECK(nodes_left_by_batchnorm(graph, normalise(graph, generator, y, {5})) == 1);
}

// A product of a matrix with 3 * 2 rows, in three dimensions.
ValueId batched_dense(Graph& graph, std::mt19937& generator, const std::vector<int64_t>& shape) {
  const ValueId y =
      add(graph, ops::Dense{}, {add_input(graph, "x", {6, 4}), random_constant(graph, generator, {4, 5})});
  return add(graph, reshape_attributes(shape), {y});
}

TEST_CASE("Scale and shift are folded into Dense across a Reshape that divides its rows") {
  std::mt19937 generator(1);
  for (const auto& shape : {std::vector<int64_t>{3, 2, 5}, std::vector<int64_t>{1, 6, 5}}) {
    Graph graph;
    const ValueId y = batched_dense(graph, generator, shape);
    CHECK(nodes_left_by_batchnorm(graph, normalise(graph, generator, y, {5})) == 2);
  }
}

TEST_CASE("Constants after a Reshape that mixes rows and columns of Dense are not folded") {
  std::mt19937 generator(1);
  Graph graph;
  const ValueId y = batched_dense(graph, generator, {5, 6});
  CHECK(nodes_left_by_batchnorm(graph, normalise(graph, generator, y, {6})) == 4);
}

TEST_CASE("Constants that vary over the rows of Dense are not folded across a Reshape") {
  std::mt19937 generator(1);
  Graph graph;
  const ValueId y = batched_dense(graph, generator, {3, 2, 5});
  CHECK(nodes_left_by_batchnorm(graph, normalise(graph, generator, y, {2, 5})) == 4);
}

TEST_CASE("Subtraction, including constant minus conv, and division fold like their inverses") {
  std::mt19937 generator(1);
  Graph graph;
  ValueId y = add_conv(graph, generator, add_input(graph, "x", {1, 3, 4, 4}), 5);
  y = add(graph, binary_attributes(BinaryKind::kSub), {y, random_constant(graph, generator, {5, 1, 1})});
  y = add(graph, binary_attributes(BinaryKind::kDiv), {y, random_constant(graph, generator, {5, 1, 1}, 1, 2)});
  y = add(graph, binary_attributes(BinaryKind::kSub), {scalar(graph, 3), y});
  CHECK(nodes_left_by_batchnorm(graph, y) == 1);
}

TEST_CASE("Constants that vary within a channel are not folded") {
  std::mt19937 generator(1);
  Graph graph;
  const ValueId conv = add_conv(graph, generator, add_input(graph, "x", {1, 3, 4, 4}), 4);
  CHECK(nodes_left_by_batchnorm(graph, normalise(graph, generator, conv, {4, 1, 4})) == 3);
}

TEST_CASE("A Conv with other users keeps its weights") {
  std::mt19937 generator(1);
  Graph graph;
  const ValueId conv = add_conv(graph, generator, add_input(graph, "x", {1, 3, 4, 4}), 4);
  const ValueId scaled = normalise(graph, generator, conv, {4, 1, 1});
  CHECK(nodes_left_by_batchnorm(graph, add(graph, binary_attributes(BinaryKind::kAdd), {scaled, conv})) == 4);
}

TEST_CASE("Preprocessing in the graph is folded into a Conv without padding") {
  std::mt19937 generator(1);
  Graph graph;
  const ValueId shifted = add(graph, binary_attributes(BinaryKind::kSub),
                              {add_input(graph, "x", {1, 4, 5, 5}), random_constant(graph, generator, {4, 1, 1})});
  const ValueId scaled =
      add(graph, binary_attributes(BinaryKind::kDiv), {shifted, random_constant(graph, generator, {4, 1, 1}, 1, 2)});
  CHECK(nodes_left_by_batchnorm(graph, add_conv(graph, generator, scaled, 6, 3, 0, true, 2)) == 1);
}

TEST_CASE("A scale before a Conv with padding is folded, a shift is not") {
  std::mt19937 generator(1);
  Graph graph;
  const ValueId y = normalise(graph, generator, add_input(graph, "x", {1, 4, 5, 5}), {4, 1, 1});
  CHECK(nodes_left_by_batchnorm(graph, add_conv(graph, generator, y, 6, 3, 1)) == 3);

  Graph scaled;
  const ValueId z = add(scaled, binary_attributes(BinaryKind::kMul),
                        {add_input(scaled, "x", {1, 4, 5, 5}), random_constant(scaled, generator, {4, 1, 1})});
  CHECK(nodes_left_by_batchnorm(scaled, add_conv(scaled, generator, z, 6, 3, 1)) == 1);
}

TEST_CASE("Weights that would overflow are not changed") {
  std::mt19937 generator(1);
  Graph graph;
  ValueId y = add_conv(graph, generator, add_input(graph, "x", {1, 3, 2, 2}), 4);
  y = add(graph, binary_attributes(BinaryKind::kDiv), {y, scalar(graph, 1e-40f)});
  graph.outputs = {y};
  const auto changes = compiler::fuse_batchnorm(graph);
  REQUIRE(changes.has_value());
  CHECK(*changes == 0);
}

}  // namespace
}  // namespace nestrt::test
