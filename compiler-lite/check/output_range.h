// SPDX-License-Identifier: Apache-2.0
// Range of an output's values that holds for all inputs.
#pragma once

#include <cstddef>

#include "nestrt/plan.h"

namespace nestrt::compiler {

// Returns true if output `output` contains values from 0 to 1: results of a sigmoid or softmax, possibly moved or
// concatenated afterwards.
bool goes_from_0_to_1(const Plan& plan, size_t output);

}  // namespace nestrt::compiler
