// Which branches of a plan need the results of which.
#pragma once

#include <cstdint>
#include <vector>

#include "nestrt/plan_generated.h"

namespace nestrt {

// By operator, the branch it belongs to.
std::vector<uint32_t> branch_of_operators(const plan::Plan& plan);

// By branch, the branches that compute what it reads, ascending, each once. Requires: a verified plan.
std::vector<std::vector<uint32_t>> branch_dependencies(const plan::Plan& plan);

}  // namespace nestrt
