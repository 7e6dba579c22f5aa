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

// Fire modules: a squeeze, two expansions and their concatenation; pools after the first, third and seventh.
Predecessors squeezenet_graph();
// Nine inception modules of four branches; pools after the second and the seventh. A concatenation in place is not a
// node.
Predecessors googlenet_graph(bool in_place = false);
// Additions are fused into the last convolution of a block.
Predecessors resnet50_graph();
// Blocks of three layers, ten of them with an identity skip.
Predecessors mobilenet_v2_graph();
// Modules with nested forks, as in Inception v3's last two.
Predecessors nested_inception_graph();
// A graph without cut points: each of `count` nodes follows up to three of the eight before it.
Predecessors tangled_graph(uint32_t count, uint32_t seed);

}  // namespace nestrt::test
