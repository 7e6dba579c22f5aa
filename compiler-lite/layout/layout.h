// Where the elements of every tensor lie, and how weights are packed: the last changes to a graph before it is emitted.
#pragma once

#include "compiler-lite/graph/graph.h"

namespace nestrt::compiler {

struct LayoutOptions {
  bool plain = false;  // everything as the model has it
};

// assign_layouts(), unless everything is to stay plain, and pack_weights().
// Requires: a tidy graph, all plain and unpacked. Errors: kInternal.
Status choose_layout(Graph& graph, const LayoutOptions& options = {});

// Chooses plain or blocked16 for every value and inserts a Reorder wherever producer and user differ, one per value and
// layout. Graph inputs and outputs stay plain. Returns the number of Reorders.
//
// What a kernel accepts is asked of the registry. Every node takes, in order, the layouts that move the fewest bytes
// given what is decided so far: its own operands, padding lanes included, and the Reorders around it; then nodes change
// their minds one at a time while that lowers the total. Layouts in which a Conv would have to use a slower algorithm,
// or any node its reference, count several times.
Result<int> assign_layouts(Graph& graph);

// Replaces the constant weights of each node by the packing that its kernel would otherwise make at load. Nodes that
// share a constant share the packed one. Returns the number of packed constants.
Result<int> pack_weights(Graph& graph);

}  // namespace nestrt::compiler
