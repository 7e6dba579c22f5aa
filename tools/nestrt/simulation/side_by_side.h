// What sessions of several plans on one described board do to each other, in virtual time.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "nestrt/plan.h"
#include "scheduler/multi_session/side_by_side.h"
#include "tools/nestrt/simulation/virtual_board.h"
#include "tools/support/text/json.h"

namespace nestrt::command {

// A session's plan, and what it costs there.
struct BoardPlan {
  std::string path;
  std::shared_ptr<const Plan> plan;
  VirtualBoard board;
};

// The sessions with schedules of one sort.
struct SideBySideFigures {
  std::string sort;
  std::vector<Schedule> schedules;  // by session
  scheduler::SideBySide run;
};

// The last sort is balanced together. All have the same units. `urgent`: the first session is.
Result<std::vector<SideBySideFigures>> side_by_side_figures(std::span<const BoardPlan> plans, bool urgent,
                                                            int budget_ms);

void print(const std::vector<SideBySideFigures>& all, std::span<const BoardPlan> plans, bool urgent);
tools::Json to_json(const std::vector<SideBySideFigures>& all, std::span<const BoardPlan> plans);

// The file of a session's placement in a folder, by the session's number, from 0.
std::string placement_file(const std::string& folder, size_t session);
// Writes where the schedules, which place whole branches, compute each branch, as `nestrt run --partition` takes it.
Status write_placements(const std::string& folder, const SideBySideFigures& figures, std::span<const BoardPlan> plans);

}  // namespace nestrt::command
