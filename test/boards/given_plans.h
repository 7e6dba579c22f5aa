// SPDX-License-Identifier: Apache-2.0
// The plans that script/reports/board-networks passes to the test programs of emulated boards, and its table.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "nestrt/plan.h"
#include "nestrt/session.h"

namespace nestrt::boards {

struct GivenPlan {
  std::string name;  // of its file, without folder and suffix
  std::shared_ptr<const Plan> plan;
};

inline constexpr uint32_t kRunsOfGivenPlan = 2;

// Prints the table's header and calls `check` for each plan of NESTRT_BOARD_PLANS: paths, separated by colons. Fails
// the test if a plan cannot be read.
void for_each_given_plan(const std::function<void(const GivenPlan&)>& check);

// Prints a row of the table. Fails the test if a coherent board copies data other than accumulators. `programs`: EVTA
// programs in kRunsOfGivenPlan runs.
void report_runs(const GivenPlan& given, const char* accelerator, bool is_coherent, int programs,
                 const SessionMemory& memory);

}  // namespace nestrt::boards
