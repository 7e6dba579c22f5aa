// SPDX-License-Identifier: Apache-2.0
// The regions of a plan, as text and as JSON: the branches that can run concurrently.
#pragma once

#include "nestrt/plan.h"
#include "scheduler/problem/regions.h"
#include "tools/support/text/json.h"

namespace nestrt::compiler {

// Returns the regions of a plan's branches according to the dependencies of their operators.
scheduler::RegionTree branch_regions(const plan::Tables& plan);

// Prints the parallel groups, then the tree.
void print_regions(const plan::Tables& plan);
tools::Json regions_json(const plan::Tables& plan);

}  // namespace nestrt::compiler
