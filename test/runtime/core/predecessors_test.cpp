// SPDX-License-Identifier: Apache-2.0
#include "runtime/core/predecessors.h"

#include <catch2/catch.hpp>

namespace nestrt {
namespace {

// Nodes 0 and 1 feed 2, and 2 feeds 3. Node 4 is isolated.
const Predecessors kGraph = {{}, {}, {0, 1}, {2}, {}};

TEST_CASE("A node follows the writers of what it reads, each once") {
  PredecessorBuilder builder(4, 3);
  builder.writes(0, 0);
  builder.writes(1, 1);
  builder.reads(2, 1);
  builder.reads(2, 0);
  builder.reads(2, 1);
  builder.writes(2, 2);
  builder.reads(3, 2);
  CHECK(std::move(builder).take() == Predecessors{{}, {}, {0, 1}, {2}});
}

TEST_CASE("Absent and unwritten operands have no predecessor") {
  PredecessorBuilder builder(2, 2);
  builder.reads(0, -1);
  builder.reads(0, 0);
  builder.writes(0, -1);
  builder.writes(0, 1);
  builder.reads(1, 0);
  CHECK(std::move(builder).take() == Predecessors{{}, {}});
}

TEST_CASE("A group follows the groups of its nodes' predecessors, but not itself") {
  CHECK(group_nodes(kGraph, {0, 1, 2, 2, 1}, 3) == Predecessors{{}, {}, {0, 1}});
  CHECK(group_nodes(kGraph, {0, 0, 1, 2, 2}, 3) == Predecessors{{}, {0}, {1}});
}

TEST_CASE("Ancestors are all direct and indirect predecessors") {
  const BitRows ancestors = ancestors_of(kGraph);
  const std::vector<std::vector<uint32_t>> expected = {{}, {}, {0, 1}, {0, 1, 2}, {}};
  for (uint32_t node = 0; node < kGraph.size(); ++node) {
    std::vector<uint32_t> found;
    for (uint32_t before = 0; before < kGraph.size(); ++before)
      if (ancestors.contains(node, before)) found.push_back(before);
    CHECK(found == expected[node]);
  }
}

TEST_CASE("Ancestors are found in chains longer than the bits of a word") {
  Predecessors chain(130);
  for (uint32_t node = 1; node < chain.size(); ++node) chain[node] = {node - 1};
  const BitRows ancestors = ancestors_of(chain);
  CHECK(ancestors.contains(129, 0));
  CHECK(ancestors.contains(129, 128));
  CHECK_FALSE(ancestors.contains(128, 129));
}

}  // namespace
}  // namespace nestrt
