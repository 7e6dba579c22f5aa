// Which branches of a plan need the results of which.
#pragma once

#include <cstdint>
#include <vector>

#include "nestrt/plan_tables.h"

namespace nestrt {

// By operator, the branch it belongs to.
std::vector<uint32_t> branch_of_operators(const plan::Tables& plan);

// Whether all of a branch's operators are views (runtime/plan/sharing.h): it need not be run. Requires: a verified
// plan.
bool computes_nothing(const plan::Tables& plan, uint32_t branch);

// A branch that computes some bytes of a tensor.
struct TensorOrigin {
  uint32_t branch = 0;
  uint64_t bytes = 0;
};

// By tensor, where its bytes come from: nowhere for constants and inputs; for what operators only view, wherever that
// comes from. Ascending, each branch once. Requires: a verified plan.
std::vector<std::vector<TensorOrigin>> tensor_origins(const plan::Tables& plan);

// By branch, the branches that compute what it reads, ascending, each once. Requires: a verified plan.
std::vector<std::vector<uint32_t>> branch_dependencies(const plan::Tables& plan);

}  // namespace nestrt
