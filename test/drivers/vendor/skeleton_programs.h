// SPDX-License-Identifier: Apache-2.0
// Programs for examples/vendor/skeleton, as its compiler would write them, and the skeleton's table of functions.
#pragma once

#include <cstdint>
#include <vector>

#include "nestrt/vendor.h"
#include "test/support/plan/plan_builder.h"

namespace nestrt::vendor::test {

// Version 1 of the interface, which plug-ins of earlier releases use.
const nestrt_vendor_functions& skeleton();
// Version 2, with options and descriptions of ports.
const nestrt_vendor_functions& described_skeleton();

// Returns a program in which output i is input i modulo the number of inputs.
std::vector<uint32_t> skeleton_blob(uint32_t num_inputs, uint32_t num_outputs, uint32_t port_bytes);

// Adds a program to every branch that copies a tensor, as in test/support/plan/copy_plan.h.
void add_skeleton_programs(nestrt::test::PlanBuilder& builder);

// Returns the plan of test/support/plan/copy_plan.h with a copy program.
nestrt::test::PlanFile skeleton_copy_file();

}  // namespace nestrt::vendor::test
