// The NPU programs of a plan as text.
#pragma once

#include "nestrt/plan.h"
#include "nestrt/result.h"

namespace nestrt::compiler {

// Prints each program for EVTA: its memory, then its instructions, numbered. Errors: kNotFound where the plan has none;
// kInvalidPlan for a stream that cannot be decoded, kUnsupported for an unknown configuration.
Status print_assembly(const Plan& plan);

}  // namespace nestrt::compiler
