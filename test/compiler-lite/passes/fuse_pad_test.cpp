// SPDX-License-Identifier: Apache-2.0
#include "compiler-lite/passes/passes.h"

#include <limits>

#include "test/compiler-lite/graph_tools.h"

namespace nestrt::test {
namespace {

using compiler::Graph;
using compiler::ValueId;
using ops::PoolKind;

const Shape kImage{1, 3, 6, 6};

// Runs the pass, checks that the results are the same, and returns the number of remaining Pads.
int pads_left(Graph& graph, ValueId output) {
  std::mt19937 generator(1);
  graph.outputs = {output};
  const Graph before = graph.clone();
  REQUIRE(compiler::fuse_pad(graph).has_value());
  CHECK(difference(graph, before, generator) == 0);
  return count(graph, ops::Kind::kPad);
}

ValueId padded(Graph& graph, ValueId x, float value = 0) {
  return add(graph, pad_attributes({0, 0, 0, 1}, {0, 0, 1, 1}, value), {x});
}

TEST_CASE("A Pad of zeros is added to the padding of the Conv") {
  std::mt19937 generator(1);
  Graph graph;
  CHECK(pads_left(graph, add_conv(graph, generator, padded(graph, add_input(graph, "x", kImage)), 4, 3, 1)) == 0);
}

TEST_CASE("A Pad with a non-zero value or along the channels is not folded into a Conv") {
  std::mt19937 generator(1);
  Graph graph;
  CHECK(pads_left(graph, add_conv(graph, generator, padded(graph, add_input(graph, "x", kImage), 1), 4, 3)) == 1);

  Graph channels;
  const ValueId pad = add(channels, pad_attributes({0, 1, 0, 0}, {0, 0, 0, 0}), {add_input(channels, "x", kImage)});
  CHECK(pads_left(channels, add_conv(channels, generator, pad, 4, 3)) == 1);
}

TEST_CASE("A Pad of zeros is folded into an average pool that counts padding") {
  for (const int32_t pad : {0, 1}) {
    for (const bool counted : {false, true}) {
      Graph graph;
      ops::Pool pool = pool_attributes(PoolKind::kAverage, {3, 3}, pad);
      pool.count_include_pad = counted;
      const int left = pads_left(graph, add(graph, pool, {padded(graph, add_input(graph, "x", kImage))}));
      CHECK(left == (pad == 0 || counted ? 0 : 1));
    }
  }
}

TEST_CASE("A Pad of minus infinity is folded into a max pool and a Pad of zeros is not") {
  for (const float value : {0.0f, -std::numeric_limits<float>::infinity()}) {
    Graph graph;
    const ValueId pad = padded(graph, add_input(graph, "x", kImage), value);
    CHECK(pads_left(graph, add(graph, pool_attributes(PoolKind::kMax, {3, 3}), {pad})) == (value == 0 ? 1 : 0));
  }
}

TEST_CASE("A Pad of zeros is folded into a max pool with a non-negative input") {
  Graph graph;
  const ValueId relu = add(graph, unary_attributes(ops::UnaryKind::kRelu), {add_input(graph, "x", kImage)});
  CHECK(pads_left(graph, add(graph, pool_attributes(PoolKind::kMax, {3, 3}), {padded(graph, relu)})) == 0);
}

TEST_CASE("A Pad of zeros is folded into a max pool after a Clip only if the Clip excludes negative values") {
  for (const auto& [low, high, left] : {std::tuple(0.0f, 6.0f, 0), {-1.0f, 6.0f, 1}, {0.0f, -1.0f, 1}}) {
    Graph graph;
    const ValueId clip =
        add(graph, unary_attributes(ops::UnaryKind::kClip, low, high), {add_input(graph, "x", kImage)});
    CHECK(pads_left(graph, add(graph, pool_attributes(PoolKind::kMax, {3, 3}), {padded(graph, clip)})) == left);
  }
}

TEST_CASE("A Pad as wide as the window of a max pool is not folded") {
  Graph graph;
  const ValueId relu = add(graph, unary_attributes(ops::UnaryKind::kRelu), {add_input(graph, "x", kImage)});
  CHECK(pads_left(graph, add(graph, pool_attributes(PoolKind::kMax, {1, 1}), {padded(graph, relu)})) == 1);
}

TEST_CASE("A Pad with two users is folded into both") {
  std::mt19937 generator(1);
  Graph graph;
  const ValueId pad = padded(graph, add_input(graph, "x", kImage));
  const ValueId a = add_conv(graph, generator, pad, 4, 3), b = add_conv(graph, generator, pad, 4, 3);
  CHECK(pads_left(graph, add(graph, concat_attributes(1), {a, b})) == 0);
}

}  // namespace
}  // namespace nestrt::test
