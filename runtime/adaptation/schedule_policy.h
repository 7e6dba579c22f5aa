// SchedulePolicy: which schedule a session should run, from what its runs have shown. It decides; others measure,
// prepare and swap.
//
// Costs follow the runs (LearnedCosts). Makespans decide: another schedule is taken where it promises to be clearly
// faster than the one in use, and one that turns out slower than that is taken back. Where what runs side by side takes
// longer than its steps promise, as units disturb each other, placement one after the other is weighed against it, and
// while that is in use, it is seen now and then whether they still do.
// Work that was never measured is measured in some of the first runs, which give a unit all that may well belong there,
// and now and then again. A unit
// that the schedule has left is tried now and then with one branch, so that it is found out when it is as fast again as
// it was. Both take a bounded part of the time (kExploring).
//
// Of schedules for throughput (kThroughput) all this is said of what their busiest unit has to do, in place of
// makespans.
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
#include "runtime/adaptation/run_statistics.h"
#include "runtime/costs/measurement/learned_costs.h"

namespace nestrt {

struct PolicyOptions {
  ScheduleOptions schedule;
  // A unit has changed its speed where three runs are off by more than this part of what was predicted; a quarter of it
  // is worth learning from, as the mean of many runs.
  double drift = 0.1;
};

class SchedulePolicy {
 public:
  // The most of all time that exploring may cost, beside so many inferences once.
  static constexpr double kExploring = 0.01, kExploringAtFirst = 3;

  // Begins with schedule `first`, which was made from `costs`. The plan outlives this.
  SchedulePolicy(const Plan& plan, std::vector<UnitInfo> units, const CostTable& costs, Schedule first,
                 const PolicyOptions& options);

  enum class Move : uint8_t {
    kStay,      // with the schedule in use; statistics go on
    kRestart,   // likewise, but what is predicted of it has changed: statistics begin anew
    kAdopt,     // another one
    kTakeBack,  // the one before
    kExplore,   // another one, for kExploringRuns; then the one in use again, whose statistics go on
  };
  static constexpr uint32_t kExploringRuns = 3;
  // With what has been measured of the schedule in use, or, after kExplore, of the runs that explored. `failing`: bit u
  // stands for unit u, which is not to be used.
  Move decide(const RunStatistics& statistics, uint64_t failing);
  // The schedule that the last move brings into use.
  const Schedule& schedule() const { return is_exploring_ ? explorer_->schedule : main_.schedule; }
  // ScheduleOptions::others, from now on. Where it has become empty, or has ceased to be, the next decision is for
  // another schedule: by their steps alone those for busy units are no faster.
  void set_others(std::vector<double> others);
  // Fresh ones for it.
  RunStatistics new_statistics() const;
  // An operator takes so many times as long on the host from now on, as another kernel computes it: its statistics
  // begin anew.
  void change_host_work(uint32_t op, double factor);
  // The last move could not be made: the schedule before it stays in use, with new statistics.
  void undo(Move move);

  // When decide() is to be asked next: after so many runs in all of the statistics of the schedule in use, as soon as
  // they have taken so long, or where a unit has changed its speed, or runs take longer or shorter than before.
  struct Due {
    uint32_t runs = 0;
    double us = 0;
    double drift = 0;  // PolicyOptions::drift

    bool has_come(const RunStatistics& statistics) const {
      return statistics.runs() >= runs || statistics.total_us() >= us || statistics.has_changed(drift) ||
             statistics.has_other_makespans(drift);
    }
  };
  const Due& due() const { return due_; }

  // But for what explores.
  const Schedule& main_schedule() const { return main_.schedule; }
  std::span<const UnitInfo> units() const { return units_; }
  const CostTable& costs() const { return learned_.costs(); }
  bool has_learned() const { return has_learned_; }

 private:
  enum Manner : uint8_t { kSideBySide, kOneByOne };
  struct Used {
    Schedule schedule;
    Manner manner = kSideBySide;
    double excess = 1;  // makespan measured, divided by that predicted
  };
  struct Exploration {
    uint64_t wait_runs = 0;  // until the next; 0: there was none yet
    uint64_t next_run = 0;
    bool others_contend = false;  // since the last: units have changed their speeds
  };
  struct Explorer {
    Schedule schedule;
    std::optional<uint32_t> unit;  // that it is for; none: for what comes of it that work is side by side
    double loss_us = 0;            // predicted, in each run
    uint64_t earliest_run = 0;
  };

  bool learn(const RunStatistics& statistics);
  uint32_t first_like(uint32_t unit) const;
  double slowdown_of_all_like(uint32_t first, const RunStatistics& statistics,
                              double (RunStatistics::*of)(uint32_t) const) const;
  void learn_speeds(const RunStatistics& statistics);
  void learn_details(const RunStatistics& statistics);
  bool learn_explored(uint32_t unit, const RunStatistics& statistics);
  enum class Runs : uint8_t { kAll, kLast };  // that statistics are the means of; the last RunStatistics::kRecent
  void observe(const Schedule& schedule, const RunStatistics& statistics, uint32_t unit, Runs which);
  void learn_excess(const RunStatistics& statistics);
  std::optional<double> predict(const Schedule& schedule) const;
  bool counts_load() const { return options_.schedule.method == ScheduleMethod::kThroughput; }
  std::optional<Schedule> make(ScheduleMethod method, const CostTable& costs) const;
  bool is_usable(const Schedule& schedule) const;
  double worth_it() const;  // so many times as fast another schedule has to promise to be

  Move judge(const RunStatistics& statistics, bool has_changed);
  bool adopt_better(bool must_leave);
  void adopt(Schedule schedule, Manner manner);
  bool take_back();
  bool explore();
  Move end_exploring(const RunStatistics& statistics);
  bool end_exploring_unit(uint32_t unit, const RunStatistics& statistics);
  bool end_exploring_side_by_side(const RunStatistics& statistics);
  std::optional<Explorer> find_explorer() const;
  std::optional<Explorer> side_by_side_again() const;
  std::optional<WorkCost> cost_on(uint32_t unit, uint32_t branch) const;
  std::vector<uint32_t> branches_to_measure(uint32_t unit) const;
  std::vector<uint32_t> cheapest_branch(uint32_t unit) const;
  std::optional<Explorer> explorer_with(uint32_t unit, const std::vector<uint32_t>& branches, double hope) const;
  bool has_been_left(uint32_t unit) const;
  double until_run_us(uint64_t run) const;
  void count(uint32_t runs, double us);
  void plan_next(const RunStatistics& statistics, Move move);
  void plan_next();

  const Plan& plan_;
  const std::vector<UnitInfo> units_;
  PolicyOptions options_;
  LearnedCosts learned_;
  bool has_learned_ = false;

  Used main_;
  std::optional<Used> previous_;
  bool is_on_trial_ = false;               // it is open whether main_ is better than previous_
  std::array<double, 2> excess_ = {1, 1};  // by manner
  uint64_t excess_run_ = 0;                // when it was known
  uint64_t side_by_side_run_ = 0;          // when it was explored
  uint64_t failing_ = 0;
  bool others_changed_ = false;

  uint32_t holding_runs_ = 0;  // so long nothing is adopted, after something was taken back
  uint32_t next_hold_ = 0;
  uint32_t look_interval_ = 0;
  std::vector<double> noise_;  // by unit, as RunStatistics::noise() says

  bool is_exploring_ = false;
  std::vector<Exploration> explorations_;  // by unit: of everything that it can compute
  std::optional<Explorer> explorer_;
  bool explorer_is_known_ = false;  // for the costs as they are
  double exploring_us_ = 0;         // that may be lost by exploring
  uint64_t runs_ = 0;               // but for those that explored
  uint32_t counted_runs_ = 0;       // of the statistics of main_, that are in runs_ ...
  double counted_us_ = 0;           // ... and in exploring_us_

  Due due_;
};

}  // namespace nestrt
