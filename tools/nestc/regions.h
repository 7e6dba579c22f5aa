// The regions of a plan for people and as JSON: what may run side by side.
#pragma once

#include "nestrt/plan.h"
#include "scheduler/problem/regions.h"
#include "tools/support/text/json.h"

namespace nestrt::compiler {

// The regions that a plan's branches form, from what their operators read of each other.
scheduler::RegionTree branch_regions(const plan::Tables& plan);

// The parallel groups, then the tree.
void print_regions(const plan::Tables& plan);
tools::Json regions_json(const plan::Tables& plan);

}  // namespace nestrt::compiler
