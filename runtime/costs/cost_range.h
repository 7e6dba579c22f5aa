// SPDX-License-Identifier: Apache-2.0
// The valid range of costs.
#pragma once

#include "nestrt/driver/costs.h"

namespace nestrt {

// Returns whether the value is a valid time in microseconds or rate; false for NaN.
inline bool is_cost(double value) { return value >= 0 && value <= kMaxMicroseconds; }

}  // namespace nestrt
