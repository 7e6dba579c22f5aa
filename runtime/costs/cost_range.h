// Which numbers costs may have.
#pragma once

#include "nestrt/driver/costs.h"

namespace nestrt {

// Whether it is a time in microseconds, or a rate; not so what is no number.
inline bool is_cost(double value) { return value >= 0 && value <= kMaxMicroseconds; }

}  // namespace nestrt
