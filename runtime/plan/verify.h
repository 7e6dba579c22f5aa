// The structural verifier: proves of a plan's tables everything that the rest of nestrt relies on, so that no later
// code has to doubt an index, a size, a type or an alignment. What needs the rules of operators (attributes against
// shapes) is checked where programs are prepared for a unit.
//
// Time and memory are linear in the size of the tables, but for one sort of the arena's buffers.
#pragma once

#include <cstdint>
#include <string>

#include "nestrt/plan_tables.h"
#include "nestrt/status.h"

namespace nestrt {

// `what` names table, index and tensor or operator; the remedy is added here.
Status damaged_plan(std::string what);

// `data_bytes` is the size of the data area.
Status verify_plan(const plan::Tables& plan, uint64_t data_bytes);

// Proves that the memory plan for any schedule, where there is one, is right for every order that respects the graph.
// Time is up to cubic in plan_format::kMaxOrderedOperators. Requires: verify_plan() passed.
Status verify_any_schedule(const plan::Tables& plan);

}  // namespace nestrt
