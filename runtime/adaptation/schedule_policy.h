// SPDX-License-Identifier: Apache-2.0
// SchedulePolicy: decides which schedule a session runs next, based on the statistics of its runs. The caller measures,
// prepares and swaps schedules.
//
// Costs are learned from the runs (LearnedCosts), but makespans decide. The policy adopts another schedule if it is
// predicted to be clearly faster than the one in use, and rolls back if it turns out to be slower. If concurrent steps
// take longer than predicted because units interfere with each other, the policy also considers sequential schedules.
// While one is in use, it periodically checks whether the interference persists.
//
// Exploration measures work whose cost is unknown. Some of the first runs give a unit all work that it may be suited
// for, and later runs repeat this periodically. A unit that the schedule no longer uses periodically runs one branch,
// which shows whether it is fast again. Exploration may use a bounded fraction of the time (kExplorationFraction).
//
// With ScheduleMethod::kThroughput, the load of the busiest unit replaces the makespan everywhere.
//
// Pure: no clock, no threads, no units. Threads: one at a time.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "nestrt/driver/schedule.h"
#include "runtime/adaptation/exploration.h"
#include "runtime/adaptation/run_statistics.h"
#include "runtime/costs/measurement/learned_costs.h"

namespace nestrt {

struct PolicyOptions {
  ScheduleOptions schedule;
  // A unit's speed has changed if three runs deviate from the prediction by more than this fraction. Costs
  // are learned from means over many runs if these deviate by a quarter of it.
  double drift = 0.1;
};

class SchedulePolicy {
 public:
  // Limit on exploration time: a fraction of all run time, plus the time of this many runs initially.
  static constexpr double kExplorationFraction = 0.01, kInitialExplorationRuns = 3;
  static constexpr uint32_t kExploringRuns = 3;

  // Starts with schedule `first`, which was computed from `costs`. The plan must outlive this object.
  SchedulePolicy(const Plan& plan, std::vector<UnitInfo> units, const CostTable& costs, Schedule first,
                 const PolicyOptions& options);

  enum class Move : uint8_t {
    kStay,      // keep the schedule in use; its statistics continue
    kRestart,   // keep the schedule; its prediction has changed, so its statistics restart
    kAdopt,     // use another schedule
    kRollBack,  // return to the previous schedule
    kExplore,   // use another schedule for kExploringRuns, then continue with the one in use and its statistics
  };
  // Decides based on the statistics of the schedule in use or, after kExplore, of the exploring runs. `failing` is a
  // bit mask of units not to use: bit u is unit u.
  Move decide(const RunStatistics& statistics, uint64_t failing);
  // Returns the schedule selected by the last move.
  const Schedule& schedule() const { return is_exploring_ ? explorer_->schedule : main_.schedule; }
  // Returns empty statistics for schedule().
  RunStatistics new_statistics() const;
  // Sets ScheduleOptions::others. If this makes it empty or non-empty, the next decision adopts another schedule
  // unconditionally, because the costs of the steps alone do not show the benefit of schedules for contended units.
  void set_others(std::vector<double> others);
  // Scales the cost of an operator on the host, which now uses another kernel. The statistics restart.
  void change_host_work(uint32_t op, double factor);
  // Reverts the last move if it could not be carried out. The previous schedule stays, with new statistics.
  void undo(Move move);

  const Due& due() const { return due_; }
  double drift() const { return options_.drift; }

  // Returns the schedule in use, ignoring exploration.
  const Schedule& main_schedule() const { return main_.schedule; }
  std::span<const UnitInfo> units() const { return units_; }
  const CostTable& costs() const { return learned_.costs(); }
  bool has_learned() const { return has_learned_; }

 private:
  enum Mode : uint8_t { kConcurrent, kSequential };
  struct Used {
    Schedule schedule;
    Mode mode = kConcurrent;
    double excess = 1;  // measured makespan / predicted makespan
  };
  // Exploration of all work that one unit can run.
  struct Exploration {
    Backoff wait;
    bool is_explored = false;
    uint64_t next_run = 0;        // after it has been explored
    bool speeds_changed = false;  // whether any unit's speed has changed since the last exploration
  };
  struct Explorer {
    Schedule schedule;
    std::optional<uint32_t> unit;  // the unit to measure; nullopt: the effect of concurrency
    double loss_us = 0;            // predicted, per run
    uint64_t earliest_run = 0;
  };
  enum class Runs : uint8_t { kAll, kRecent };  // kRecent: the last RunStatistics::kRecent

  // Learning.
  bool learn(const RunStatistics& statistics);
  void learn_speeds(const RunStatistics& statistics);
  void learn_details(const RunStatistics& statistics);
  bool learn_explored(uint32_t unit, const RunStatistics& statistics);
  void learn_excess(const RunStatistics& statistics);
  void observe(const Schedule& schedule, const RunStatistics& statistics, uint32_t unit, Runs which);
  uint32_t first_like(uint32_t unit) const;
  double slowdown_of_all_like(uint32_t first, const RunStatistics& statistics,
                              double (RunStatistics::*of)(uint32_t) const) const;

  // Schedules.
  std::optional<double> predict(const Schedule& schedule) const;
  double expected_us() const { return predict(main_.schedule).value_or(0) * main_.excess; }
  bool counts_load() const { return options_.schedule.method == ScheduleMethod::kThroughput; }
  std::optional<Schedule> make(ScheduleMethod method, const CostTable& costs) const;
  bool is_usable(const Schedule& schedule) const;
  double min_speedup() const;

  // Decisions.
  Move judge(const RunStatistics& statistics, bool has_changed);
  bool adopt_better(bool is_forced);
  void adopt(Schedule schedule, Mode mode);
  bool roll_back();
  void restart();
  void plan_next();

  // Exploration.
  bool explore();
  Move end_exploring(const RunStatistics& statistics);
  bool end_exploring_unit(uint32_t unit, const RunStatistics& statistics);
  bool end_exploring_concurrency(const RunStatistics& statistics);
  std::optional<Explorer> find_explorer() const;
  std::optional<Explorer> concurrency_explorer() const;
  std::optional<Explorer> unit_explorer(uint32_t unit, const std::vector<uint32_t>& branches, double cost_factor) const;
  std::optional<WorkCost> cost_on(uint32_t unit, uint32_t branch) const;
  std::vector<uint32_t> branches_to_measure(uint32_t unit) const;
  std::vector<uint32_t> cheapest_branch(uint32_t unit) const;
  bool is_unused(uint32_t unit) const;
  double until_run_us(uint64_t run) const;

  const Plan& plan_;
  const std::vector<UnitInfo> units_;
  PolicyOptions options_;
  LearnedCosts learned_;
  bool has_learned_ = false;

  Used main_;
  std::optional<Used> previous_;
  bool is_on_trial_ = false;               // main_ has not yet proved better than previous_
  std::array<double, 2> excess_ = {1, 1};  // per mode
  uint64_t excess_run_ = 0;                // last update of excess_
  uint64_t concurrency_run_ = 0;           // last exploration of concurrency
  uint64_t failing_ = 0;
  bool others_changed_ = false;

  uint64_t hold_runs_ = 0;  // remaining runs during which nothing is adopted, after a roll-back
  Backoff hold_;
  Backoff recheck_;
  std::vector<double> noise_;  // per unit, as RunStatistics::noise()

  bool is_exploring_ = false;
  std::vector<Exploration> explorations_;  // per unit
  std::optional<Explorer> explorer_;
  bool is_explorer_known_ = false;  // explorer_ matches the current costs
  ExplorationBudget budget_{kExplorationFraction};

  Due due_;
};

}  // namespace nestrt
