// The backend of EVTA: tuned programs for the operators that legal.h finds legal.
#pragma once

#include <memory>

#include "compiler-lite/backends/backend.h"
#include "compiler-lite/target/target.h"

namespace nestrt::compiler::evta {

// Schedules are searched for with the cycle model of the ZCU102, at the unit's clock and bus where it states them.
// Requires: unit.kind == "evta". Errors: kInvalidArgument for an unknown configuration.
Result<std::shared_ptr<Backend>> make_evta_backend(const TargetUnit& unit);

}  // namespace nestrt::compiler::evta
