// Depthwise convolutions with the convolutions of 1 x 1 around them become one operator (ops::SeparableConv), so that
// what lies between them need not go through memory.
#pragma once

#include <cstdint>

#include "compiler-lite/graph/graph.h"
#include "compiler-lite/placement/branches.h"
#include "nestrt/result.h"

namespace nestrt::compiler {

// What a CPU's memory moves for the convolutions, apart and as one operator: whatever does not fit its cache beside
// what an operator reads and writes.
struct SeparableTraffic {
  int64_t apart = 0;  // bytes
  int64_t fused = 0;
  bool pays() const { return fused < apart; }
};

// Fuses where only the host computes all of the nodes, layouts are those of blocks, nothing else needs what lies
// between, and it pays with `cache_bytes` of the host's last cache. Returns how many it made: the graph is tidy then,
// and `placement` is that of the graph before. Requires: layouts are chosen.
Result<int> fuse_separable(Graph& graph, const Placement& placement, int64_t cache_bytes);

}  // namespace nestrt::compiler
