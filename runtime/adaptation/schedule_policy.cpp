// SPDX-License-Identifier: Apache-2.0
#include "runtime/adaptation/schedule_policy.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "runtime/costs/unit_key.h"
#include "runtime/execution/working_units.h"
#include "runtime/plan/queries/program_for.h"

namespace nestrt {
namespace {

// Minimum predicted speedup that justifies a change. The larger value applies to the first runs, and to runs that vary
// by more than kNoiseThreshold, because another schedule may then only seem better.
constexpr double kMinSpeedup = 1.01, kMinTrialSpeedup = 1.02, kNoiseThreshold = 0.01;
constexpr uint64_t kRunsToSettle = 64;
// Number of runs that judge a new schedule, and number of runs between two searches for a better one: initial value
// and, after doubling, maximum.
constexpr uint32_t kTrialRuns = 8, kInitialRecheckRuns = 16, kMaxRecheckRuns = 64;
// Number of runs without a new schedule after a rollback: initial value and maximum.
constexpr uint32_t kInitialHoldRuns = 64, kMaxHoldRuns = 4096;
// Half-life, in concurrent runs, of the knowledge about sequential schedules.
constexpr double kExcessHalfLifeRuns = 48;
// Number of sequential runs after which concurrency is explored again.
constexpr uint64_t kConcurrencyRecheckRuns = 32;
// Costs are learned from means that deviate by more than this fraction of PolicyOptions::drift.
constexpr double kLearningThreshold = 0.25;
// Work is not measured on a unit that is predicted to take more than this many times as long as another.
constexpr double kMaxExploredRatio = 2;
// Exploration schedules work of unknown cost with this fraction of its predicted time.
constexpr double kOptimisticCostFactor = 0.5;
// Number of runs until measured work is measured again: initial value and maximum.
constexpr uint64_t kInitialReexploreRuns = 512, kMaxReexploreRuns = 16384;
constexpr double kNever = std::numeric_limits<double>::infinity();

}  // namespace

SchedulePolicy::SchedulePolicy(const Plan& plan, std::vector<UnitInfo> units, const CostTable& costs, Schedule first,
                               const PolicyOptions& options)
    : plan_(plan),
      units_(std::move(units)),
      options_(options),
      learned_(plan, units_, costs),
      main_{std::move(first)},
      hold_(kInitialHoldRuns, kMaxHoldRuns),
      recheck_(kInitialRecheckRuns, kMaxRecheckRuns),
      noise_(units_.size(), 0),
      explorations_(units_.size(), {Backoff(kInitialReexploreRuns, kMaxReexploreRuns)}),
      due_{kExploringRuns, kNever} {
  const double makespan_us = main_.schedule.makespan_us;
  budget_.earn(kInitialExplorationRuns * (counts_load() ? predict(main_.schedule).value_or(makespan_us) : makespan_us));
}

// --- Learning --------------------------------------------------------------------------------------------------------

bool SchedulePolicy::learn(const RunStatistics& statistics) {
  if (statistics.has_changed(options_.drift)) {
    learn_speeds(statistics);
    return true;
  }
  const bool has_news = statistics.deviation() > options_.drift * kLearningThreshold;
  if (statistics.runs() >= kInitialRecheckRuns && has_news) learn_details(statistics);
  return false;
}

// First learns the speeds of all units, because a change of one may affect another, and then the costs of single steps.
// A new schedule of mispredicted work also looks like a change of speed.
void SchedulePolicy::learn_speeds(const RunStatistics& statistics) {
  has_learned_ = true;
  for (Exploration& exploration : explorations_) exploration.speeds_changed = true;
  for (uint32_t unit = 0; unit < units_.size(); ++unit)
    if (first_like(unit) == unit)
      learned_.change_speed(units_[unit], slowdown_of_all_like(unit, statistics, &RunStatistics::recent_slowdown));
  for (uint32_t unit = 0; unit < units_.size(); ++unit) observe(main_.schedule, statistics, unit, Runs::kRecent);
}

// Returns the first unit that shares its costs with `unit`.
uint32_t SchedulePolicy::first_like(uint32_t unit) const {
  const auto is_like = [&](const UnitInfo& other) { return key_of(other) == key_of(units_[unit]); };
  return static_cast<uint32_t>(std::ranges::find_if(units_, is_like) - units_.begin());
}

// Returns the mean slowdown of the units that share costs with `first`; 1 if none of them has steps.
double SchedulePolicy::slowdown_of_all_like(uint32_t first, const RunStatistics& statistics,
                                            double (RunStatistics::*of)(uint32_t) const) const {
  double sum = 0;
  int count = 0;
  for (uint32_t unit = first; unit < units_.size(); ++unit) {
    if (first_like(unit) != first || !statistics.has_steps(unit)) continue;
    sum += (statistics.*of)(unit);
    ++count;
  }
  return count > 0 ? sum / count : 1;
}

// Attributes the common slowdown of a unit's steps to the unit, the rest to the steps.
void SchedulePolicy::learn_details(const RunStatistics& statistics) {
  for (uint32_t unit = 0; unit < units_.size(); ++unit) {
    const double slowdown = slowdown_of_all_like(first_like(unit), statistics, &RunStatistics::mean_slowdown);
    if (first_like(unit) == unit) learned_.slow_down(units_[unit], slowdown);
    observe(main_.schedule, statistics, unit, Runs::kAll);
  }
}

// Learns about the explored unit only. Returns whether the prediction of the schedule in use may have changed.
bool SchedulePolicy::learn_explored(uint32_t unit, const RunStatistics& statistics) {
  const bool was_unused = is_unused(unit);
  if (was_unused) learned_.slow_down(units_[unit], statistics.mean_slowdown(unit));
  observe(explorer_->schedule, statistics, unit, Runs::kAll);
  return !was_unused;
}

void SchedulePolicy::observe(const Schedule& schedule, const RunStatistics& statistics, uint32_t unit, Runs which) {
  has_learned_ = true;
  const double noise = statistics.noise_of_steps(unit);
  const uint32_t runs =
      which == Runs::kRecent ? RunStatistics::kRecent : std::min(statistics.runs(), kInitialRecheckRuns);
  for (size_t index = 0; index < schedule.steps.size(); ++index) {
    const Step& step = schedule.steps[index];
    if (schedule.lanes[step.lane].unit != unit) continue;
    const double us = which == Runs::kRecent ? statistics.recent_us(index) : statistics.mean_us(index);
    learned_.observe(step, units_[unit], {us, runs, noise});
  }
}

void SchedulePolicy::learn_excess(const RunStatistics& statistics) {
  const std::optional<double> predicted = predict(main_.schedule);
  if (!predicted || *predicted <= 0 || statistics.runs() < kTrialRuns) return;
  const bool is_new = statistics.has_other_makespans(options_.drift);
  main_.excess = (is_new ? statistics.recent_makespan_us() : statistics.makespan_us()) / *predicted;
  excess_[main_.mode] = main_.excess;
  const auto runs = static_cast<double>(budget_.runs() - std::exchange(excess_run_, budget_.runs()));
  if (main_.mode == kConcurrent)
    excess_[kSequential] = std::pow(excess_[kSequential], std::exp2(-runs / kExcessHalfLifeRuns));
}

// --- Schedules -------------------------------------------------------------------------------------------------------

std::optional<double> SchedulePolicy::predict(const Schedule& schedule) const {
  const auto prediction = predict_schedule(plan_, units_, costs(), schedule);
  if (!prediction) return std::nullopt;
  if (!counts_load()) return prediction->makespan_us;
  std::vector<double> load_us(units_.size(), 0);
  for (size_t step = 0; step < schedule.steps.size(); ++step)
    load_us[schedule.lanes[schedule.steps[step].lane].unit] += prediction->step_us[step];
  return std::ranges::max(load_us);
}

std::optional<Schedule> SchedulePolicy::make(ScheduleMethod method, const CostTable& costs) const {
  ScheduleOptions options = options_.schedule;
  options.method = method;
  Result<Schedule> schedule = schedule_for_working_units(plan_, units_, failing_, costs, options);
  return schedule ? std::optional(std::move(*schedule)) : std::nullopt;
}

bool SchedulePolicy::is_usable(const Schedule& schedule) const {
  return std::ranges::none_of(schedule.lanes, [&](const Lane& lane) { return is_failing(failing_, lane.unit); });
}

RunStatistics SchedulePolicy::new_statistics() const {
  const auto prediction = predict_schedule(plan_, units_, costs(), schedule());
  if (prediction) return RunStatistics(schedule(), prediction->step_us, noise_);
  std::vector<double> stated;
  for (const Step& step : schedule().steps) stated.push_back(step.predicted_us);
  return RunStatistics(schedule(), stated, noise_);
}

void SchedulePolicy::set_others(std::vector<double> others) {
  others_changed_ |= others.empty() != options_.schedule.others.empty();
  options_.schedule.others = std::move(others);
}

double SchedulePolicy::min_speedup() const {
  return budget_.runs() < kRunsToSettle || std::ranges::max(noise_) > kNoiseThreshold ? kMinTrialSpeedup : kMinSpeedup;
}

// --- Deciding --------------------------------------------------------------------------------------------------------

SchedulePolicy::Move SchedulePolicy::decide(const RunStatistics& statistics, uint64_t failing) {
  for (uint32_t unit = 0; unit < units_.size(); ++unit)
    if (statistics.noise(unit) > 0) noise_[unit] = statistics.noise(unit);
  const bool units_changed = std::exchange(failing_, failing) != failing;
  if (std::exchange(is_exploring_, false) && !units_changed) return end_exploring(statistics);
  const bool others_changed = std::exchange(others_changed_, false);
  Move move = Move::kStay;
  if (units_changed || others_changed) {
    is_explorer_known_ = is_on_trial_ = false;
    move = adopt_better(others_changed || !is_usable(main_.schedule)) ? Move::kAdopt : Move::kRestart;
    is_on_trial_ = is_on_trial_ && !others_changed;  // the previous schedule assumes other demand
  } else {
    budget_.count(statistics);
    move = judge(statistics, learn(statistics));
  }
  if (move != Move::kStay && move != Move::kExplore) budget_.restart();
  plan_next();
  return move;
}

SchedulePolicy::Move SchedulePolicy::judge(const RunStatistics& statistics, bool has_changed) {
  if (has_changed) {
    recheck_.reset();
    hold_runs_ = 0;
    is_explorer_known_ = false;
    if (roll_back()) return Move::kRollBack;
    return adopt_better(false) ? Move::kAdopt : Move::kRestart;
  }
  learn_excess(statistics);
  if (statistics.has_other_makespans(options_.drift)) hold_runs_ = 0;
  if (is_on_trial_ && statistics.runs() >= kTrialRuns) {
    if (roll_back()) {
      hold_runs_ = hold_.runs();
      hold_.lengthen();
      return Move::kRollBack;
    }
    is_on_trial_ = false;
  }
  if (statistics.runs() < kInitialRecheckRuns) return explore() ? Move::kExplore : Move::kStay;
  is_explorer_known_ = false;
  hold_runs_ -= std::min<uint64_t>(hold_runs_, statistics.runs());
  if (hold_runs_ == 0 && adopt_better(false)) return Move::kAdopt;
  recheck_.lengthen();
  return Move::kRestart;
}

// Compares the schedule in use, whose makespan is measured, with predictions for other schedules. Scales the
// predictions by the excess that their mode has shown so far.
bool SchedulePolicy::adopt_better(bool is_forced) {
  const double in_use = is_forced ? kNever : predict(main_.schedule).value_or(kNever) * main_.excess;
  std::optional<Schedule> best = make(options_.schedule.method, costs());
  if (!best) return false;
  Mode mode = kConcurrent;
  const double promised = counts_load() ? predict(*best).value_or(kNever) : best->makespan_us;
  double least = promised * excess_[kConcurrent];
  if (excess_[kConcurrent] > min_speedup() && !counts_load()) {
    std::optional<Schedule> other = make(ScheduleMethod::kSequential, costs());
    if (other && other->makespan_us * excess_[kSequential] < least) {
      least = other->makespan_us * excess_[kSequential];
      mode = kSequential;
      best = std::move(other);
    }
  }
  if (!is_forced && least * min_speedup() > in_use) return false;
  adopt(std::move(*best), mode);
  return true;
}

void SchedulePolicy::adopt(Schedule schedule, Mode mode) {
  previous_ = std::exchange(main_, Used{std::move(schedule), mode, excess_[mode]});
  is_on_trial_ = true;
  concurrency_run_ = budget_.runs();
}

bool SchedulePolicy::roll_back() {
  if (!is_on_trial_ || !is_usable(previous_->schedule)) return false;
  const std::optional<double> before = predict(previous_->schedule), after = predict(main_.schedule);
  if (!before || !after || *before * previous_->excess * min_speedup() > *after * main_.excess) return false;
  std::swap(main_, *previous_);
  is_on_trial_ = false;
  return true;
}

void SchedulePolicy::undo(Move move) {
  if (move == Move::kExplore) {  // do not retry soon, because it would fail again
    const uint64_t next_run = budget_.runs() + kInitialReexploreRuns;
    concurrency_run_ = next_run;
    if (explorer_->unit)
      explorations_[*explorer_->unit] = {Backoff(kInitialReexploreRuns, kMaxReexploreRuns), true, next_run};
  }
  if (move == Move::kAdopt || move == Move::kRollBack) std::swap(main_, *previous_);
  is_exploring_ = false;
  restart();
}

void SchedulePolicy::change_host_work(uint32_t op, double factor) {
  for (uint32_t unit = 0; unit < units_.size(); ++unit)
    if (units_[unit].is_host) learned_.change_work(units_[unit], op, factor);
  restart();
}

void SchedulePolicy::restart() {
  is_explorer_known_ = is_on_trial_ = false;
  budget_.restart();
  plan_next();
}

void SchedulePolicy::plan_next() {
  const uint32_t counted = budget_.counted_runs();
  due_.runs = is_on_trial_ && counted < kTrialRuns ? kTrialRuns : static_cast<uint32_t>(recheck_.runs());
  if (counted >= due_.runs) due_.runs = counted + kInitialRecheckRuns;
  if (!std::exchange(is_explorer_known_, true)) explorer_ = find_explorer();
  due_.us = kNever;
  if (explorer_ && !is_on_trial_)
    due_.us = budget_.counted_us() +
              std::max(until_run_us(explorer_->earliest_run), budget_.earning_us(kExploringRuns * explorer_->loss_us));
}

double SchedulePolicy::until_run_us(uint64_t run) const {
  return run <= budget_.runs() ? 0 : static_cast<double>(run - budget_.runs()) * expected_us();
}

// --- Exploring -------------------------------------------------------------------------------------------------------

bool SchedulePolicy::explore() {
  if (!explorer_ || !is_explorer_known_ || is_on_trial_ || budget_.runs() < explorer_->earliest_run) return false;
  if (budget_.left_us() < kExploringRuns * explorer_->loss_us) return false;
  return is_exploring_ = true;
}

SchedulePolicy::Move SchedulePolicy::end_exploring(const RunStatistics& statistics) {
  budget_.charge(statistics.total_us() - statistics.runs() * expected_us());
  const bool has_other_predictions =
      explorer_->unit ? end_exploring_unit(*explorer_->unit, statistics) : end_exploring_concurrency(statistics);
  is_explorer_known_ = false;
  const Move move = adopt_better(false) ? Move::kAdopt : has_other_predictions ? Move::kRestart : Move::kStay;
  if (move != Move::kStay) budget_.restart();
  plan_next();
  return move;
}

// Return whether the prediction of the schedule in use may have changed.
bool SchedulePolicy::end_exploring_unit(uint32_t unit, const RunStatistics& statistics) {
  Exploration& exploration = explorations_[unit];
  if (statistics.deviation() > options_.drift || !exploration.is_explored)
    exploration.wait.reset();
  else
    exploration.wait.lengthen();
  exploration.is_explored = true;
  exploration.next_run = budget_.runs() + exploration.wait.runs();
  exploration.speeds_changed = false;
  return learn_explored(unit, statistics);
}

bool SchedulePolicy::end_exploring_concurrency(const RunStatistics& statistics) {
  concurrency_run_ = budget_.runs();
  const std::optional<double> predicted = predict(explorer_->schedule);
  if (predicted && *predicted > 0) excess_[kConcurrent] = statistics.makespan_us() / *predicted;
  return false;
}

// Prefers work that was never or not recently measured, and then the unit with the smallest loss.
std::optional<SchedulePolicy::Explorer> SchedulePolicy::find_explorer() const {
  std::optional<Explorer> best;
  for (const bool everything : {true, false}) {
    for (uint32_t unit = 0; unit < units_.size() && (everything || !best); ++unit) {
      if (is_failing(failing_, unit)) continue;
      std::optional<Explorer> found = everything ? unit_explorer(unit, branches_to_measure(unit), kOptimisticCostFactor)
                                                 : unit_explorer(unit, cheapest_branch(unit), 0);
      if (found && (!best || found->loss_us < best->loss_us)) best = std::move(found);
    }
  }
  return best ? best : concurrency_explorer();
}

// Returns the concurrent schedule if it would be better than the sequential one in use, assuming that units do not
// interfere with each other.
std::optional<SchedulePolicy::Explorer> SchedulePolicy::concurrency_explorer() const {
  if (main_.mode == kConcurrent) return std::nullopt;
  std::optional<Schedule> schedule = make(options_.schedule.method, costs());
  const double in_use = expected_us();
  if (!schedule || schedule->makespan_us * min_speedup() > in_use) return std::nullopt;
  const double loss_us = std::max(0.0, schedule->makespan_us * excess_[kConcurrent] - in_use);
  return Explorer{std::move(*schedule), std::nullopt, loss_us, concurrency_run_ + kConcurrencyRecheckRuns};
}

bool SchedulePolicy::is_unused(uint32_t unit) const {
  return std::ranges::none_of(main_.schedule.steps, [&](const Step& step) {
    return first_like(main_.schedule.lanes[step.lane].unit) == first_like(unit);
  });
}

std::optional<WorkCost> SchedulePolicy::cost_on(uint32_t unit, uint32_t branch) const {
  const std::optional<uint32_t> program = program_index_for(plan_.tables().branches[branch], units_[unit]);
  if (!program) return std::nullopt;
  const Result<WorkCost> cost = branch_cost(costs(), plan_, branch, *program, key_of(units_[unit]));
  return cost ? std::optional(*cost) : std::nullopt;
}

// Returns the branches that the unit may be suited for and whose cost there is modelled or was measured long ago.
std::vector<uint32_t> SchedulePolicy::branches_to_measure(uint32_t unit) const {
  const Exploration& exploration = explorations_[unit];
  const bool looks_again = exploration.is_explored && budget_.runs() >= exploration.next_run;
  if (exploration.is_explored && !looks_again && !exploration.speeds_changed) return {};
  std::vector<uint32_t> branches;
  for (uint32_t branch = 0; branch < plan_.tables().branches.size(); ++branch) {
    const std::optional<WorkCost> here = cost_on(unit, branch);
    if (!here || here->microseconds <= 0) continue;
    if (!looks_again && here->source == CostSource::kMeasured) continue;
    double elsewhere = kNever;
    for (uint32_t other = 0; other < units_.size(); ++other)
      if (const auto cost = cost_on(other, branch); other != unit && cost)
        elsewhere = std::min(elsewhere, cost->microseconds);
    if (elsewhere < kNever && here->microseconds < kMaxExploredRatio * elsewhere) branches.push_back(branch);
  }
  return branches;
}

// Returns one branch to find out whether an unused unit has become faster.
std::vector<uint32_t> SchedulePolicy::cheapest_branch(uint32_t unit) const {
  std::vector<uint32_t> cheapest;
  double least = kNever;
  for (uint32_t branch = 0; is_unused(unit) && branch < plan_.tables().branches.size(); ++branch) {
    const std::optional<WorkCost> here = cost_on(unit, branch);
    if (!here || here->microseconds <= 0 || here->microseconds >= least) continue;
    least = here->microseconds;
    cheapest = {branch};
  }
  return cheapest;
}

// Returns the best schedule if the branches cost `cost_factor` times their known cost on the unit.
std::optional<SchedulePolicy::Explorer> SchedulePolicy::unit_explorer(uint32_t unit,
                                                                      const std::vector<uint32_t>& branches,
                                                                      double cost_factor) const {
  if (branches.empty()) return std::nullopt;
  CostTable costs = learned_.costs();
  const UnitKey key = key_of(units_[unit]);
  const auto make_cheaper = [&](const std::string& work) {
    const WorkCost* const known = costs.find(key, work);
    if (known != nullptr) costs.set(key, work, {known->microseconds * cost_factor, known->source});
  };
  for (const uint32_t index : branches) {
    const plan::Branch& branch = plan_.tables().branches[index];
    if (const auto program = program_index_for(branch, units_[unit]))
      make_cheaper(program_work_name(plan_, index, *program));
    for (const uint32_t op : branch.operators) make_cheaper(work_name(plan_, op, key));
  }
  std::optional<Schedule> schedule = make(options_.schedule.method, costs);
  const std::optional<double> makespan = schedule ? predict(*schedule) : std::nullopt;
  const std::optional<double> in_use = predict(main_.schedule);
  if (!makespan || !in_use) return std::nullopt;
  const bool uses_it =
      std::ranges::any_of(schedule->steps, [&](const Step& step) { return schedule->lanes[step.lane].unit == unit; });
  if (!uses_it) return std::nullopt;
  return Explorer{std::move(*schedule), unit, std::max(0.0, *makespan - *in_use)};
}

}  // namespace nestrt
