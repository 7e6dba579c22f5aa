// SPDX-License-Identifier: Apache-2.0
// Chooses the layout of every tensor, considering all units that may compute it.
#pragma once

#include "compiler-lite/codegen/backend.h"
#include "compiler-lite/graph/graph.h"

namespace nestrt::compiler {

struct LayoutOptions {
  bool plain = false;  // keep all values plain, as in the model
};

// Chooses a layout (plain, blocked16 or folded) for every value. Inserts a Reorder wherever producer and user differ,
// at most one per value and layout. Graph inputs and outputs stay plain. Returns the number of Reorders.
//
// The host's layout options of a node are the candidates; the other backends report which of them they support. Nodes
// are decided in order. Each gets the layouts that move the fewest bytes, given the decisions so far: the bytes of its
// operands, including padding lanes, and of the Reorders around it. Then single nodes change as long as this lowers the
// total. The cost is multiplied for layouts that require a slower host kernel or exclude a unit that supports the node
// in another layout.
// Requires a tidy graph, plain and unpacked, and a host among the backends. Errors: kInternal.
Result<int> assign_layouts(Graph& graph, const Backends& backends);

}  // namespace nestrt::compiler
