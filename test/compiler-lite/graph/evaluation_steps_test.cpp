// SPDX-License-Identifier: Apache-2.0
#include "compiler-lite/graph/evaluation_steps.h"

#include "test/compiler-lite/graph_tools.h"

namespace nestrt::test {
namespace {

using compiler::Graph;
using compiler::ValueId;

// Returns the evaluation steps of a node with the given number of output elements.
int64_t evaluation_steps(const Graph& graph, const ops::Attributes& attributes, const std::vector<ValueId>& inputs,
                         int64_t elements) {
  TensorSpec output;
  output.shape = {elements};
  return compiler::evaluation_steps(graph, attributes, inputs, std::span(&output, 1));
}

TEST_CASE("The cost of a matrix product includes its inner dimension for every element") {
  Graph graph;
  const ValueId a = add_input(graph, "a", {100, 1000}), b = add_input(graph, "b", {1000, 200});
  const int64_t macs = int64_t{100} * 1000 * 200;
  CHECK(evaluation_steps(graph, ops::MatMul(), {a, b}, 100 * 200) >= macs);
  CHECK(evaluation_steps(graph, ops::MatMul(), {a, b}, 100 * 200) < 2 * macs);
  CHECK(evaluation_steps(graph, ops::Dense(), {a, b}, 100 * 200) >= macs);
}

TEST_CASE("The cost of a convolution includes its kernel, per input element if transposed") {
  Graph graph;
  const ValueId x = add_input(graph, "x", {1, 8, 10, 10}), weights = add_input(graph, "w", {16, 8, 3, 3});
  CHECK(evaluation_steps(graph, conv_attributes({3, 3}, 1), {x, weights}, 16 * 100) >= 16 * 100 * 8 * 9);
  const ValueId transposed = add_input(graph, "t", {8, 16, 3, 3});
  CHECK(evaluation_steps(graph, ops::ConvTranspose(), {x, transposed}, 1) >= 8 * 100 * 16 * 9);
}

TEST_CASE("The cost of a window is the number of input elements that it covers") {
  Graph graph;
  const ValueId x = add_input(graph, "x", {1, 64, 100, 100});
  const int64_t outputs = 64 * 100 * 100;
  CHECK(evaluation_steps(graph, pool_attributes(ops::PoolKind::kMax, {9, 9}, 4), {x}, outputs) >= 81 * outputs);
  const int64_t largest =
      evaluation_steps(graph, pool_attributes(ops::PoolKind::kMax, {INT32_MAX, INT32_MAX}), {x}, outputs);
  CHECK(largest >= 100 * 100 * outputs);
  CHECK(largest < 2 * 100 * 100 * outputs);
  ops::LocalResponseNorm norm;
  norm.size = INT32_MAX;
  CHECK(evaluation_steps(graph, norm, {x}, outputs) >= 64 * outputs);
  CHECK(evaluation_steps(graph, norm, {x}, outputs) < 100 * outputs);
}

TEST_CASE("A cost that overflows saturates") {
  Graph graph;
  const ValueId a = add_input(graph, "a", {1 << 20, 1 << 20});
  CHECK(evaluation_steps(graph, ops::MatMul(), {a, a}, int64_t{1} << 50) == INT64_MAX);
}

}  // namespace
}  // namespace nestrt::test
