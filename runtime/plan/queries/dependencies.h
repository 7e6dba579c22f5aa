// Which operators and branches of a plan need the results of which.
#pragma once

#include <cstdint>
#include <vector>

#include "nestrt/driver/plan_tables.h"
#include "runtime/core/predecessors.h"

namespace nestrt {

// By operator, the branch it belongs to.
std::vector<uint32_t> branch_of_operators(const plan::Tables& plan);

// Whether all of a branch's operators are views (runtime/plan/queries/views.h): it need not be run. Requires: a
// verified plan.
bool computes_nothing(const plan::Tables& plan, uint32_t branch);

// A branch that computes some bytes of a tensor.
struct TensorOrigin {
  uint32_t branch = 0;
  uint64_t bytes = 0;
};

// By tensor, where its bytes come from: nowhere for constants and inputs; for what operators only view, wherever that
// comes from. Ascending, each branch once. Requires: a verified plan.
std::vector<std::vector<TensorOrigin>> tensor_origins(const plan::Tables& plan);

// By operator, those whose outputs it reads. Requires: operands that exist, in an order that respects the graph.
Predecessors operator_predecessors(const plan::Tables& plan);

// By branch, the branches that compute what it reads: those before branches that only view are in their place.
// Ascending, each once. Requires: a verified plan.
Predecessors branch_dependencies(const plan::Tables& plan);

}  // namespace nestrt
