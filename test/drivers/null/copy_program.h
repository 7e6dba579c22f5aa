// SPDX-License-Identifier: Apache-2.0
// Programs for the null unit, as a compiler's backend would write them.
#pragma once

#include <cstdint>
#include <span>

#include "drivers/null/program.h"
#include "test/support/plan/plan_builder.h"

namespace nestrt::null::test {

// Adds a null unit program to a branch that copies tensor x to tensor y. `blob` contains BlobCopies of range 0, which
// is x, and range 1, which is y.
void add_program(nestrt::test::PlanBuilder& builder, uint32_t branch, std::span<const std::byte> blob);

// Adds such a program to every branch that copies a tensor, as in test/support/plan/copy_plan.h.
void add_programs(nestrt::test::PlanBuilder& builder);

}  // namespace nestrt::null::test
