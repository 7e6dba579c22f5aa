// SPDX-License-Identifier: Apache-2.0
// VirtualSession: the scheduling of a session in virtual time, for a network of branches on a host and an accelerator
// whose speeds the test sets for each run. Deterministic: no clock, no threads.
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

// The state of the board during a run.
struct BoardState {
  double host = 1, npu = 1;  // factor of the predicted times of their work
  double contention = 1;     // factor of times while both work
  double noise = 0;          // relative standard deviation of each step's time
  bool npu_is_failing = false;

  bool operator==(const BoardState&) const = default;
};

class VirtualSession {
 public:
  // `wrong`: relative standard deviation between the true and the predicted costs of branches.
  VirtualSession(const Predecessors& graph, uint32_t seed, double wrong = 0.1);
  // Runs a plan for unit 0, the host, and unit 1, whose work has known costs. `budget` limits each search.
  VirtualSession(std::shared_ptr<const Plan> plan, std::vector<UnitInfo> units, const CostTable& predicted,
                 uint32_t seed, double wrong, std::chrono::microseconds budget);

  struct Run {
    double makespan_us = 0;  // without noise
    double best_us = 0;      // makespan of the best schedule at the speeds of this run
    double host_us = 0;      // makespan of the host alone
    bool explores = false;
  };
  Run run(const BoardState& state);
  // Returns how often a schedule was replaced.
  int changes() const { return changes_; }

 private:
  // The true costs in one state of the board.
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
  std::optional<scheduler::Problem> problem_;  // source of transfer times
  std::unique_ptr<SchedulePolicy> policy_;
  Schedule schedule_;
  RunStatistics statistics_;
  std::vector<std::pair<BoardState, Truth>> truths_;
  std::optional<BoardState> timed_state_;  // state for which step_us_ is valid
  std::vector<double> step_us_;
  std::optional<std::pair<Schedule, RunStatistics>> next_, parked_;
  int runs_until_next_ = 0;
  bool explores_ = false, next_explores_ = false;
  uint64_t failing_ = 0;
  int changes_ = 0;
};

}  // namespace nestrt::test
