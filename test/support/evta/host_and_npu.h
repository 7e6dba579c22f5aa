// SPDX-License-Identifier: Apache-2.0
// Two units for tests of costs and schedules.
#pragma once

#include "nestrt/driver/unit.h"

namespace nestrt::test {

inline const UnitInfo kHost{"cpu", "cpu", "", 2, true}, kNpu{"npu", "npu0", "", 1, false};

}  // namespace nestrt::test
