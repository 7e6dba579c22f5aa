// SPDX-License-Identifier: Apache-2.0
// The structural verifier. It proves everything that the rest of nestrt relies on, so that no later code needs to check
// an index, a size, a type, an alignment, or the rules of an operator. docs/concepts/security.md describes the
// consequences for untrusted files.
// Time and memory are linear in the size of the tables, except for sorting.
#pragma once

#include <cstddef>
#include <span>

#include "nestrt/driver/plan_tables.h"
#include "nestrt/status.h"
#include "runtime/kernel/kernel.h"
#include "runtime/plan/format/plan_error.h"

namespace nestrt {

// Verifies the tables. `data` is the data area; its content is not read.
Status verify_plan(const plan::Tables& plan, std::span<const std::byte> data);
// Verifies one shape of a plan.
Status verify_shape(const plan::Tables& plan, std::span<const std::byte> data);

// Applies the operator's rules from services().operators. Errors: kUnsupported for operators that the library does not
// provide; kInvalidPlan or kInvalidModel if attributes or operands violate a rule.
Status verify_operator(const OperatorSpec& spec);

// Proves that the memory plan for any schedule, if it exists, is valid for every order that respects data dependencies.
// For one shape; the time is at most cubic in plan_format::kMaxOrderedOperators. Requires: verify_plan() succeeded.
Status verify_any_schedule(const plan::Tables& plan);

}  // namespace nestrt
