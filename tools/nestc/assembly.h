// SPDX-License-Identifier: Apache-2.0
// Prints the NPU programs of a plan as text.
#pragma once

#include "nestrt/plan.h"
#include "nestrt/result.h"

namespace nestrt::compiler {

// Prints the memory and the numbered instructions of each EVTA program. Errors: kNotFound if the plan has none;
// kInvalidPlan if a stream cannot be decoded; kUnsupported for an unknown configuration.
Status print_assembly(const Plan& plan);

}  // namespace nestrt::compiler
