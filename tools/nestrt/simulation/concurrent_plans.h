// SPDX-License-Identifier: Apache-2.0
// Simulates concurrent sessions of several plans on one simulated board.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "nestrt/plan.h"
#include "scheduler/multi_session/concurrent_sessions.h"
#include "tools/nestrt/simulation/virtual_board.h"
#include "tools/support/text/json.h"

namespace nestrt::command {

// A session's plan and its board with the costs of the plan.
struct BoardPlan {
  std::string path;
  std::shared_ptr<const Plan> plan;
  VirtualBoard board;
};

// The results of all sessions for one kind of schedule.
struct ConcurrentFigures {
  std::string sort;
  std::vector<Schedule> schedules;  // by session
  scheduler::ConcurrentRun run;
};

// Simulates the sessions with each kind of schedule; the last kind balances the schedules jointly. All plans have the
// same units. `urgent`: the first session is urgent.
Result<std::vector<ConcurrentFigures>> simulate_concurrent_plans(std::span<const BoardPlan> plans, bool urgent,
                                                                 int budget_ms);

void print(const std::vector<ConcurrentFigures>& all, std::span<const BoardPlan> plans, bool urgent);
tools::Json to_json(const std::vector<ConcurrentFigures>& all, std::span<const BoardPlan> plans);

// Returns the path of a session's placement file in a folder. Sessions count from 0.
std::string placement_file(const std::string& folder, size_t session);
// Writes, for each session, the unit of each branch, as input of `nestrt run --partition`. The schedules place whole
// branches.
Status write_placements(const std::string& folder, const ConcurrentFigures& figures, std::span<const BoardPlan> plans);

}  // namespace nestrt::command
