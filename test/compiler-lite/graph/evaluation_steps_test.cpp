#include "compiler-lite/graph/evaluation_steps.h"

#include "test/compiler-lite/graph_tools.h"

namespace nestrt::test {
namespace {

using compiler::Graph;
using compiler::ValueId;

template <typename Table>
int64_t steps(const Graph& graph, Table table, const std::vector<ValueId>& inputs, int64_t outputs) {
  return compiler::evaluation_steps(graph, compiler::attributes(std::move(table)), inputs, outputs);
}

TEST_CASE("Products of matrices cost their inner dimension for every element") {
  Graph graph;
  const ValueId a = add_input(graph, "a", {100, 1000}), b = add_input(graph, "b", {1000, 200});
  const int64_t macs = int64_t{100} * 1000 * 200;
  CHECK(steps(graph, plan::MatMulT(), {a, b}, 100 * 200) >= macs);
  CHECK(steps(graph, plan::MatMulT(), {a, b}, 100 * 200) < 2 * macs);
  CHECK(steps(graph, plan::DenseT(), {a, b}, 100 * 200) >= macs);
}

TEST_CASE("Convolutions cost their kernel, transposed ones for every element of the input") {
  Graph graph;
  const ValueId x = add_input(graph, "x", {1, 8, 10, 10}), weights = add_input(graph, "w", {16, 8, 3, 3});
  CHECK(steps(graph, conv_attributes({3, 3}, 1), {x, weights}, 16 * 100) >= 16 * 100 * 8 * 9);
  const ValueId transposed = add_input(graph, "t", {8, 16, 3, 3});
  CHECK(steps(graph, plan::ConvTransposeT(), {x, transposed}, 1) >= 8 * 100 * 16 * 9);
}

TEST_CASE("Windows cost what they hold of the input") {
  Graph graph;
  const ValueId x = add_input(graph, "x", {1, 64, 100, 100});
  const int64_t outputs = 64 * 100 * 100;
  CHECK(steps(graph, pool_attributes(plan::PoolKind::max, {9, 9}, 4), {x}, outputs) >= 81 * outputs);
  const int64_t largest = steps(graph, pool_attributes(plan::PoolKind::max, {INT32_MAX, INT32_MAX}), {x}, outputs);
  CHECK(largest >= 100 * 100 * outputs);
  CHECK(largest < 2 * 100 * 100 * outputs);
  plan::LocalResponseNormT norm;
  norm.size = INT32_MAX;
  CHECK(steps(graph, norm, {x}, outputs) >= 64 * outputs);
  CHECK(steps(graph, norm, {x}, outputs) < 100 * outputs);
}

TEST_CASE("What overflows costs as much as there is") {
  Graph graph;
  const ValueId a = add_input(graph, "a", {1 << 20, 1 << 20});
  CHECK(steps(graph, plan::MatMulT(), {a, a}, int64_t{1} << 50) == INT64_MAX);
}

}  // namespace
}  // namespace nestrt::test
