// Arithmetic of an operator, for tables.
#pragma once

#include <cstdint>

#include "nestrt/plan_generated.h"

namespace nestrt::tools {

// Multiply-accumulates of one inference; 0 for operators without weights or products (pooling, elementwise ...).
// Requires: a verified plan. A shape that does not belong to its operator gives a number without meaning, no crash.
uint64_t multiply_adds(const plan::Plan& plan, const plan::Operator& op);

}  // namespace nestrt::tools
