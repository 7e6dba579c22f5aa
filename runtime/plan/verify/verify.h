// The structural verifier: proves of a plan's tables everything that the rest of nestrt relies on, so that no later
// code has to doubt an index, a size, a type or an alignment, nor that an operator's attributes and operands keep its
// rules. docs/concepts/security.md says what that means for a file of unknown origin.
//
// Time and memory are linear in the size of the tables, but for sorting.
#pragma once

#include <cstddef>
#include <span>

#include "nestrt/driver/plan_tables.h"
#include "nestrt/status.h"
#include "runtime/kernel/kernel.h"
#include "runtime/plan/format/plan_error.h"

namespace nestrt {

// `data` is the data area; what is in it is not read.
Status verify_plan(const plan::Tables& plan, std::span<const std::byte> data);
// The same of one of its shapes.
Status verify_shape(const plan::Tables& plan, std::span<const std::byte> data);

// What the operator's rules, of services().operators, say of it. Errors: kUnsupported for operators that the library
// does not have, kInvalidPlan or kInvalidModel where attributes or operands break a rule.
Status verify_operator(const OperatorSpec& spec);

// Proves that the memory plan for any schedule, where there is one, is right for every order that respects the graph.
// Time is up to cubic in plan_format::kMaxOrderedOperators. Of one shape. Requires: verify_plan() passed.
Status verify_any_schedule(const plan::Tables& plan);

}  // namespace nestrt
