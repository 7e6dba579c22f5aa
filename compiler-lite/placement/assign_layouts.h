// SPDX-License-Identifier: Apache-2.0
// Chooses the layout of every tensor, considering all units that may compute it.
#pragma once

#include "compiler-lite/codegen/backend.h"
#include "compiler-lite/graph/graph.h"

namespace nestrt::compiler {

struct LayoutOptions {
  bool plain = false;  // keep all values plain, as in the model
};

// Chooses a layout for every value, plain, blocked16 or folded, and inserts a Reorder wherever producer and user
// differ, one per value and layout. Graph inputs and outputs stay plain. Returns the number of Reorders.
//
// The host's layout options of a node are the candidates; the other backends state which of them they support. Each
// node in order gets the layouts that move the fewest bytes given the decisions so far: its operands, including padding
// lanes, and the Reorders around it. Then nodes change one at a time as long as that lowers the total. Layouts that
// force the host to use a slower kernel, or that exclude a unit that supports the node in another layout, count several
// times.
// Requires a tidy graph, plain and unpacked, and a host among the backends. Errors: kInternal.
Result<int> assign_layouts(Graph& graph, const Backends& backends);

}  // namespace nestrt::compiler
