// What is known of an output's values whatever the inputs.
#pragma once

#include <cstddef>

#include "nestrt/plan.h"

namespace nestrt::compiler {

// Whether output `output` holds values from 0 to 1: those of a sigmoid or a softmax, which may have been moved about or
// put side by side since.
bool goes_from_0_to_1(const Plan& plan, size_t output);

}  // namespace nestrt::compiler
