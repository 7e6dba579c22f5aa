// SPDX-License-Identifier: Apache-2.0
// Memory planner: places the buffers of the arena.
//
// Two buffers may share bytes if their lifetimes do not overlap. A plan contains layouts for two definitions of
// lifetime:
//   sequential    operators run one after the other in file order; lifetimes are intervals of positions
//   any_schedule  operators run in any order that respects the graph: every operator that accesses one buffer must be
//                 an ancestor of every operator that writes the other, except one with which it may overlap
//
// Placement is bin packing (NP-hard). The planner runs first-fit over several orders of the buffers, with local search
// on the order, and stops at the lower bound. If more than 4 million pairs of buffers are alive together, it uses a
// best-fit sweep in the order of first use instead. Deterministic.
#pragma once

#include <cstdint>
#include <vector>

#include "compiler-lite/graph/graph.h"
#include "compiler-lite/memory/storage.h"

namespace nestrt::compiler {

struct MemoryLayout {
  uint64_t arena_bytes = 0;
  uint64_t lower_bound_bytes = 0;  // the largest sum of buffers alive at one position of the file order
  std::vector<uint64_t> offsets;   // by buffer; multiples of 64; 0 for buffers outside the arena
};

MemoryLayout plan_sequential(const Storage& storage, size_t num_operators);
// `overlapped`: by position in Graph::nodes(), the operator whose result the node reads and with which it may
// nevertheless overlap (runtime/plan/queries/channel_order.h); UINT32_MAX if none. Empty if no node may overlap.
MemoryLayout plan_any_schedule(const Storage& storage, const Graph& graph,
                               const std::vector<uint32_t>& overlapped = {});

}  // namespace nestrt::compiler
