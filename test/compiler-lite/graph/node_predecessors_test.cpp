// SPDX-License-Identifier: Apache-2.0
#include "compiler-lite/graph/node_predecessors.h"

#include "test/compiler-lite/graph_tools.h"

namespace nestrt::test {
namespace {

using compiler::Graph;
using compiler::ValueId;

TEST_CASE("A node follows the nodes that compute its operands, not inputs and constants") {
  Graph graph;
  const ValueId x = add_input(graph, "x", {2});
  const ValueId y = add(graph, concat_attributes(0), {x, x});
  const ValueId z = add(graph, binary_attributes(ops::BinaryKind::kAdd), {x, scalar(graph, 1)});
  graph.outputs = {add(graph, concat_attributes(0), {z, y, z})};
  CHECK(compiler::node_predecessors(graph) == Predecessors{{}, {}, {0, 1}});
}

}  // namespace
}  // namespace nestrt::test
