// Memory planner: places the buffers of the arena.
//
// Two buffers may share bytes when their lives are apart. "Apart" has two meanings, and a plan carries both:
//   sequential    operators run one after the other in file order: lives are intervals of positions
//   any_schedule  operators run in any order that respects the graph: every operator that touches the one must be an
//                 ancestor of every operator that writes the other, and not one that it may overlap with
//
// Placing is bin packing (NP-hard): the planner runs a first-fit over several orders of the buffers, with local search
// on the order, and stops at the lower bound. Where more than 4 million pairs of buffers are alive together, one sweep
// in the order of first use places each in the smallest gap that is free. Deterministic.
#pragma once

#include <cstdint>
#include <vector>

#include "compiler-lite/graph/graph.h"
#include "compiler-lite/memory/storage.h"

namespace nestrt::compiler {

struct MemoryLayout {
  uint64_t arena_bytes = 0;
  uint64_t lower_bound_bytes = 0;  // the largest sum of buffers alive at one position of the file order
  std::vector<uint64_t> offsets;   // by buffer; 0 for those outside the arena; multiples of 64
};

MemoryLayout plan_sequential(const Storage& storage, size_t num_operators);
// `overlapped`, by position in Graph::nodes(): the operator that the one there reads, and may overlap with nevertheless
// (runtime/plan/queries/channel_order.h); UINT32_MAX where there is none. Empty: none at all.
MemoryLayout plan_any_schedule(const Storage& storage, const Graph& graph,
                               const std::vector<uint32_t>& overlapped = {});

}  // namespace nestrt::compiler
