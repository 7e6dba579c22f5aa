// SPDX-License-Identifier: Apache-2.0
// Storage: the buffer of each value and the offset in it.
//
// Most values have a separate buffer. Some are views (runtime/plan/queries/views.h), so that their producer or consumer
// copies nothing: Reshape, and Slice and Concat if the part is contiguous. Graph inputs and outputs are the caller's
// memory and must be distinct; legalize_outputs() ensures this.
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
  ValueId value = kNoValue;       // constant, input, output: its value; arena: a value that fills it
  std::vector<uint32_t> writers;  // operators by position in Graph::nodes(), ascending
  std::vector<uint32_t> users;    // positions of all operators that access the buffer, including writers, ascending
};

struct Storage {
  std::vector<BufferUse> buffers;
  std::vector<Place> places;  // by ValueId; valid for values that a node, input or output of the graph uses
};

// Inserts a copy for each output that is also an input, a constant or another output, so that a node writes every
// output.
Status legalize_outputs(Graph& graph);

// Requires a tidy graph with legal outputs.
Storage assign_storage(const Graph& graph);

}  // namespace nestrt::compiler
