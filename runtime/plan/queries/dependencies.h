// SPDX-License-Identifier: Apache-2.0
// Dependencies between operators and between branches of a plan.
#pragma once

#include <cstdint>
#include <vector>

#include "nestrt/driver/plan_tables.h"
#include "runtime/core/predecessors.h"

namespace nestrt {

// Returns the branch of each operator.
std::vector<uint32_t> branch_of_operators(const plan::Tables& plan);

// Returns whether all operators of a branch are views (runtime/plan/queries/views.h), so that it need not run.
// Requires: a verified plan.
bool computes_nothing(const plan::Tables& plan, uint32_t branch);

// A branch that computes some bytes of a tensor.
struct TensorOrigin {
  uint32_t branch = 0;
  uint64_t bytes = 0;
};

// Returns, for each tensor, the branches that compute its bytes: none for constants and inputs; for views, the branches
// that compute the viewed bytes. Ascending, without duplicates. Requires: a verified plan.
std::vector<std::vector<TensorOrigin>> tensor_origins(const plan::Tables& plan);

// Returns, for each operator, the operators whose outputs it reads. Requires: valid operand indices and operators in
// topological order.
Predecessors operator_predecessors(const plan::Tables& plan);

// Returns, for each branch, the branches that compute what it reads; a branch of views is replaced by its predecessors.
// Ascending, without duplicates. Requires: a verified plan.
Predecessors branch_dependencies(const plan::Tables& plan);

}  // namespace nestrt
