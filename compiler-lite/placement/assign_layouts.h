// Where the elements of every tensor lie: asked of all units that may compute it.
#pragma once

#include "compiler-lite/codegen/backend.h"
#include "compiler-lite/graph/graph.h"

namespace nestrt::compiler {

struct LayoutOptions {
  bool plain = false;  // everything as the model has it
};

// Chooses a layout for every value, plain, blocked16 or folded, and inserts a Reorder wherever producer and user
// differ, one per value and layout. Graph inputs and outputs stay plain. Returns the number of Reorders.
//
// The host says in which layouts it can run a node, and the other backends in which of these they can. Every node
// takes, in order, the layouts that move the fewest bytes given what is decided so far: its own operands, padding lanes
// included, and the Reorders around it; then nodes change their minds one at a time while that lowers the total.
// Layouts in which the host would have to use a slower kernel, or that keep a unit from a node which it could compute
// in another, count several times.
// Requires: a tidy graph, all plain and unpacked; a host among the backends. Errors: kInternal.
Result<int> assign_layouts(Graph& graph, const Backends& backends);

}  // namespace nestrt::compiler
