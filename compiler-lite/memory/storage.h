// Storage: which buffer each value lives in, and where in it.
//
// Most values have a buffer of their own. Some are views (runtime/plan/queries/views.h), so that their producer or
// consumer has nothing to copy: Reshape, and Slice and Concat where the part is contiguous. Graph inputs and outputs
// are the caller's memory and never the same: legalize_outputs() makes sure of that first.
#pragma once

#include <cstdint>
#include <vector>

#include "compiler-lite/graph/graph.h"

namespace nestrt::compiler {

struct Place {
  uint32_t buffer = 0;
  uint64_t offset = 0;  // bytes
};

struct BufferUse {
  plan::BufferKind kind = plan::BufferKind::kArena;
  uint64_t size = 0;              // bytes
  ValueId value = kNoValue;       // constant, input, output: the value it holds; arena: one that fills it
  std::vector<uint32_t> writers;  // operators by position in Graph::nodes(), ascending
  std::vector<uint32_t> users;    // all that touch it, writers included, ascending
};

struct Storage {
  std::vector<BufferUse> buffers;
  std::vector<Place> places;  // by ValueId; meaningful for values that some node, input or output of the graph uses
};

// Copies where an output is also an input, a constant, or another output, so that every output is written by a node.
Status legalize_outputs(Graph& graph);

// Requires: the graph is tidy and its outputs are legal.
Storage assign_storage(const Graph& graph);

}  // namespace nestrt::compiler
