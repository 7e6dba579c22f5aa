// SPDX-License-Identifier: Apache-2.0
// The result of Session::operators().
#pragma once

#include <vector>

#include "nestrt/session.h"
#include "runtime/execution/prepared_schedule.h"

namespace nestrt {

std::vector<OperatorSummary> summarize_operators(const Plan& plan, const UnitList& units,
                                                 const PreparedSchedule& schedule);

}  // namespace nestrt
