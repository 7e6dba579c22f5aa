// VirtualSession: what a session does with its schedules, in virtual time: a network of branches on a host and an
// accelerator whose speeds the test says, from run to run. No clock, no threads: the same each time.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <vector>

#include "runtime/adaptation/schedule_policy.h"
#include "scheduler/problem/problem.h"
#include "scheduler/problem/regions.h"
#include "test/support/plan/plan_builder.h"

namespace nestrt::test {

// The board as it is during a run.
struct BoardState {
  double host = 1, npu = 1;  // how many times as long as predicted their work takes
  double side_by_side = 1;   // likewise, while both work
  double noise = 0;          // standard deviation of each step's time, as a part of it
  bool npu_is_failing = false;

  bool operator==(const BoardState&) const = default;
};

class VirtualSession {
 public:
  // `wrong`: by which part of itself the true cost of a branch deviates from that predicted (standard deviation).
  VirtualSession(const Predecessors& graph, uint32_t seed, double wrong = 0.1);
  // A plan for unit 0, the host, and unit 1, by costs that are known for all of its work. Searches take so long at
  // most.
  VirtualSession(std::shared_ptr<const Plan> plan, std::vector<UnitInfo> units, const CostTable& predicted,
                 uint32_t seed, double wrong, std::chrono::microseconds budget);

  struct Run {
    double makespan_us = 0;  // without noise
    double best_us = 0;      // of all schedules, at the speeds of this run
    double host_us = 0;      // of the host alone
    bool explores = false;
  };
  Run run(const BoardState& state);
  // Schedules that took the place of others.
  int changes() const { return changes_; }

 private:
  // What is true of the board in one state.
  struct Truth {
    CostTable costs;
    double best_us = 0, host_us = 0;
  };
  void begin(double wrong);
  const Truth& truth_of(const BoardState& state);
  CostTable true_costs(const BoardState& state) const;
  const std::vector<double>& step_us(const BoardState& state);
  double disturbed_us(const BoardState& state, const Schedule& schedule, const std::vector<double>& step_us) const;
  void decide(const RunStatistics& statistics);
  void end_exploring();

  std::optional<PlanFile> file_;
  std::shared_ptr<const Plan> plan_;
  std::vector<UnitInfo> units_;
  CostTable predicted_, exact_;
  ScheduleOptions search_;
  std::mt19937 random_;
  std::optional<scheduler::Problem> problem_;  // for its transfers
  std::unique_ptr<SchedulePolicy> policy_;
  Schedule schedule_;
  RunStatistics statistics_;
  std::vector<std::pair<BoardState, Truth>> truths_;
  std::optional<BoardState> timed_state_;  // that step_us_ is for
  std::vector<double> step_us_;
  std::optional<std::pair<Schedule, RunStatistics>> next_, parked_;
  int runs_until_next_ = 0;
  bool explores_ = false, next_explores_ = false;
  uint64_t failing_ = 0;
  int changes_ = 0;
};

}  // namespace nestrt::test
