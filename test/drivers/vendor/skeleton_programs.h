// Programs for examples/vendor/skeleton, as its maker's compiler would write them, and its table of functions.
#pragma once

#include <cstdint>
#include <vector>

#include "nestrt/vendor.h"
#include "test/support/plan/plan_builder.h"

namespace nestrt::vendor::test {

const nestrt_vendor_functions& skeleton();

// Output i is input i modulo the number of inputs.
std::vector<uint32_t> skeleton_blob(uint32_t num_inputs, uint32_t num_outputs, uint32_t port_bytes);

// Gives all branches that copy a tensor a program, as those of test/support/plan/copy_plan.h do.
void add_skeleton_programs(nestrt::test::PlanBuilder& builder);

// test/support/plan/copy_plan.h's plan with such a program.
nestrt::test::PlanFile skeleton_copy_file();

}  // namespace nestrt::vendor::test
