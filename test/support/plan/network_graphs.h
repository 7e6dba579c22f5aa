// SPDX-License-Identifier: Apache-2.0
// The branch structure of well-known networks, as graphs of their operators.
#pragma once

#include <utility>
#include <vector>

#include "scheduler/problem/regions.h"

namespace nestrt::test {

class GraphBuilder {
 public:
  // Adds a node that follows those given and returns it.
  uint32_t node(std::vector<uint32_t> before) {
    graph_.push_back(std::move(before));
    return static_cast<uint32_t>(graph_.size() - 1);
  }
  // Adds `length` nodes in a row after the one given and returns the last.
  uint32_t chain(uint32_t before, int length) {
    for (; length > 0; --length) before = node({before});
    return before;
  }
  const Predecessors& graph() const { return graph_; }

 private:
  Predecessors graph_;
};

// Returns fire modules: a squeeze, two expansions and their concatenation; pools follow the first, third and seventh.
Predecessors squeezenet_graph();
// Returns nine inception modules of four branches; pools follow the second and the seventh. If `in_place`,
// concatenations are not nodes.
Predecessors googlenet_graph(bool in_place = false);
// Returns residual blocks whose additions are fused into their last convolution.
Predecessors resnet50_graph();
// Returns blocks of three layers, ten of them with an identity skip.
Predecessors mobilenet_v2_graph();
// Returns modules with nested forks, like the last two of Inception v3.
Predecessors nested_inception_graph();
// Returns a graph without cut points: each of `count` nodes follows up to three of the eight nodes before it.
Predecessors tangled_graph(uint32_t count, uint32_t seed);

}  // namespace nestrt::test
