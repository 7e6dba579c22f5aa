// Programs for the null unit, as a compiler's backend would write them.
#pragma once

#include <cstdint>
#include <span>

#include "drivers/null/program.h"
#include "test/support/plan/plan_builder.h"

namespace nestrt::null::test {

// Gives a branch that copies tensor x to tensor y a program for the null unit. `blob` has BlobCopies of range 0, which
// is x, and range 1, which is y.
void add_program(nestrt::test::PlanBuilder& builder, uint32_t branch, std::span<const std::byte> blob);

// Gives all branches that copy a tensor one, as those of test/support/plan/copy_plan.h do.
void add_programs(nestrt::test::PlanBuilder& builder);

}  // namespace nestrt::null::test
