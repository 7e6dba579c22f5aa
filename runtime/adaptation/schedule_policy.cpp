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

// A schedule that promises less is not worth what changing to it takes. At first, and where runs differ by more than a
// hundredth, it may only seem better.
constexpr double kMinSpeedup = 1.01, kMinTrialSpeedup = 1.02, kNoiseThreshold = 0.01;
constexpr uint64_t kRunsToSettle = 64;
// So many runs show what a new schedule is worth, and when an old one is looked at: soon, then less and less often.
constexpr uint32_t kTrialRuns = 8, kInitialRecheckRuns = 16, kMaxRecheckRuns = 64;
// After something was taken back: for the first time, and at most.
constexpr uint32_t kInitialBackoffRuns = 64, kMaxBackoffRuns = 4096;
// What is known of placement one after the other is half as much after so many runs without it.
constexpr double kRunsToForget = 48;
// After so many runs one after the other it is seen again what comes of it that work is side by side.
constexpr uint64_t kSideBySideAgain = 32;
// Means are looked at where they are off by this part of what makes a change.
constexpr double kWorthLearning = 0.25;
// What takes more than so many times as long as elsewhere is not worth measuring.
constexpr double kContends = 2;
// What was not measured is tried where it belongs if it takes so much of the time that is believed.
constexpr double kOptimisticCostFactor = 0.5;
// Measured work is measured again: for the first time after so many runs, then less and less often where it is as
// known.
constexpr uint64_t kExploreAgain = 512, kExploreRarely = 16384;
constexpr double kNever = std::numeric_limits<double>::infinity();

}  // namespace

SchedulePolicy::SchedulePolicy(const Plan& plan, std::vector<UnitInfo> units, const CostTable& costs, Schedule first,
                               const PolicyOptions& options)
    : plan_(plan),
      units_(std::move(units)),
      options_(options),
      learned_(plan, units_, costs),
      main_{std::move(first)},
      next_hold_(kInitialBackoffRuns),
      look_interval_(kInitialRecheckRuns),
      noise_(units_.size(), 0),
      explorations_(units_.size()),
      due_{kExploringRuns, kNever, options.drift} {
  const double makespan_us = main_.schedule.makespan_us;
  exploring_us_ = kExploringAtFirst * (counts_load() ? predict(main_.schedule).value_or(makespan_us) : makespan_us);
}

// --- Learning --------------------------------------------------------------------------------------------------------

bool SchedulePolicy::learn(const RunStatistics& statistics) {
  if (statistics.has_changed(options_.drift)) {
    learn_speeds(statistics);
    return true;
  }
  const bool has_news = statistics.deviation() > options_.drift * kWorthLearning;
  if (statistics.runs() >= kInitialRecheckRuns && has_news) learn_details(statistics);
  return false;
}

// Of all units: what changes one may change another. What a change leaves unexplained is that of single steps: a new
// schedule of mispredicted work looks like a change too, and has to be told from one.
void SchedulePolicy::learn_speeds(const RunStatistics& statistics) {
  has_learned_ = true;
  for (Exploration& exploration : explorations_) exploration.others_contend = true;
  for (uint32_t unit = 0; unit < units_.size(); ++unit)
    if (first_like(unit) == unit)
      learned_.change_speed(units_[unit], slowdown_of_all_like(unit, statistics, &RunStatistics::recent_slowdown));
  for (uint32_t unit = 0; unit < units_.size(); ++unit) observe(main_.schedule, statistics, unit, Runs::kLast);
}

// Whose costs a unit has.
uint32_t SchedulePolicy::first_like(uint32_t unit) const {
  const auto is_like = [&](const UnitInfo& other) { return key_of(other) == key_of(units_[unit]); };
  return static_cast<uint32_t>(std::ranges::find_if(units_, is_like) - units_.begin());
}

// Their mean; 1 where none of them has steps.
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

// What all of a unit's steps have in common is the unit's.
void SchedulePolicy::learn_details(const RunStatistics& statistics) {
  for (uint32_t unit = 0; unit < units_.size(); ++unit) {
    const double slowdown = slowdown_of_all_like(first_like(unit), statistics, &RunStatistics::mean_slowdown);
    if (first_like(unit) == unit) learned_.slow_down(units_[unit], slowdown);
    observe(main_.schedule, statistics, unit, Runs::kAll);
  }
}

// Of the unit that was explored alone. Returns whether what is predicted of the schedule in use may be another.
bool SchedulePolicy::learn_explored(uint32_t unit, const RunStatistics& statistics) {
  const bool was_left = has_been_left(unit);
  if (was_left) learned_.slow_down(units_[unit], statistics.mean_slowdown(unit));
  observe(explorer_->schedule, statistics, unit, Runs::kAll);
  return !was_left;
}

void SchedulePolicy::observe(const Schedule& schedule, const RunStatistics& statistics, uint32_t unit, Runs which) {
  has_learned_ = true;
  const double noise = statistics.noise_of_steps(unit);
  const uint32_t runs =
      which == Runs::kLast ? RunStatistics::kRecent : std::min(statistics.runs(), kInitialRecheckRuns);
  for (size_t index = 0; index < schedule.steps.size(); ++index) {
    const Step& step = schedule.steps[index];
    if (schedule.lanes[step.lane].unit != unit) continue;
    const double us = which == Runs::kLast ? statistics.recent_us(index) : statistics.mean_us(index);
    learned_.observe(step, units_[unit], {us, runs, noise});
  }
}

void SchedulePolicy::learn_excess(const RunStatistics& statistics) {
  const std::optional<double> predicted = predict(main_.schedule);
  if (!predicted || *predicted <= 0 || statistics.runs() < kTrialRuns) return;
  const bool is_new = statistics.has_other_makespans(options_.drift);
  main_.excess = (is_new ? statistics.recent_makespan_us() : statistics.makespan_us()) / *predicted;
  excess_[main_.manner] = main_.excess;
  const auto runs = static_cast<double>(runs_ - std::exchange(excess_run_, runs_));
  if (main_.manner == kSideBySide) excess_[kOneByOne] = std::pow(excess_[kOneByOne], std::exp2(-runs / kRunsToForget));
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

double SchedulePolicy::worth_it() const {
  return runs_ < kRunsToSettle || std::ranges::max(noise_) > kNoiseThreshold ? kMinTrialSpeedup : kMinSpeedup;
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
    explorer_is_known_ = false;
    is_on_trial_ = false;
    move = adopt_better(others_changed || !is_usable(main_.schedule)) ? Move::kAdopt : Move::kRestart;
    is_on_trial_ = is_on_trial_ && !others_changed;  // the schedule before was for other neighbours
  } else {
    exploring_us_ += kExploring * (statistics.total_us() - counted_us_);
    runs_ += statistics.runs() - counted_runs_;
    move = judge(statistics, learn(statistics));
  }
  plan_next(statistics, move);
  return move;
}

SchedulePolicy::Move SchedulePolicy::judge(const RunStatistics& statistics, bool has_changed) {
  if (has_changed) {
    look_interval_ = kInitialRecheckRuns;
    holding_runs_ = 0;
    explorer_is_known_ = false;
    if (take_back()) return Move::kTakeBack;
    return adopt_better(false) ? Move::kAdopt : Move::kRestart;
  }
  learn_excess(statistics);
  if (statistics.has_other_makespans(options_.drift)) holding_runs_ = 0;
  if (is_on_trial_ && statistics.runs() >= kTrialRuns) {
    if (take_back()) {
      holding_runs_ = next_hold_;
      next_hold_ = std::min(2 * next_hold_, kMaxBackoffRuns);
      return Move::kTakeBack;
    }
    is_on_trial_ = false;
  }
  if (statistics.runs() < kInitialRecheckRuns) return explore() ? Move::kExplore : Move::kStay;
  explorer_is_known_ = false;
  holding_runs_ -= std::min(holding_runs_, statistics.runs());
  if (holding_runs_ == 0 && adopt_better(false)) return Move::kAdopt;
  look_interval_ = std::min(2 * look_interval_, kMaxRecheckRuns);
  return Move::kRestart;
}

// The schedule in use has shown what it is worth; that of the others is what their steps promise, and what their manner
// has added so far.
bool SchedulePolicy::adopt_better(bool must_leave) {
  const double in_use = must_leave ? kNever : predict(main_.schedule).value_or(kNever) * main_.excess;
  std::optional<Schedule> best = make(options_.schedule.method, costs());
  if (!best) return false;
  Manner manner = kSideBySide;
  const double promised = counts_load() ? predict(*best).value_or(kNever) : best->makespan_us;
  double least = promised * excess_[kSideBySide];
  if (excess_[kSideBySide] > worth_it() && !counts_load()) {
    std::optional<Schedule> other = make(ScheduleMethod::kSequential, costs());
    if (other && other->makespan_us * excess_[kOneByOne] < least) {
      least = other->makespan_us * excess_[kOneByOne];
      manner = kOneByOne;
      best = std::move(other);
    }
  }
  if (!must_leave && least * worth_it() > in_use) return false;
  adopt(std::move(*best), manner);
  return true;
}

void SchedulePolicy::adopt(Schedule schedule, Manner manner) {
  previous_ = std::exchange(main_, Used{std::move(schedule), manner, excess_[manner]});
  is_on_trial_ = true;
  side_by_side_run_ = runs_;
}

bool SchedulePolicy::take_back() {
  if (!is_on_trial_ || !is_usable(previous_->schedule)) return false;
  const std::optional<double> before = predict(previous_->schedule), after = predict(main_.schedule);
  if (!before || !after || *before * previous_->excess * worth_it() > *after * main_.excess) return false;
  std::swap(main_, *previous_);
  is_on_trial_ = false;
  return true;
}

void SchedulePolicy::undo(Move move) {
  if (move == Move::kExplore) {  // it would fail again
    side_by_side_run_ = runs_ + kExploreAgain;
    if (explorer_->unit) explorations_[*explorer_->unit] = {kExploreAgain, runs_ + kExploreAgain, false};
  }
  if (move == Move::kAdopt || move == Move::kTakeBack) std::swap(main_, *previous_);
  is_exploring_ = is_on_trial_ = explorer_is_known_ = false;
  count(0, 0);
  plan_next();
}

void SchedulePolicy::change_host_work(uint32_t op, double factor) {
  for (uint32_t unit = 0; unit < units_.size(); ++unit)
    if (units_[unit].is_host) learned_.change_work(units_[unit], op, factor);
  explorer_is_known_ = is_on_trial_ = false;
  count(0, 0);
  plan_next();
}

void SchedulePolicy::plan_next(const RunStatistics& statistics, Move move) {
  const bool goes_on = move == Move::kStay || move == Move::kExplore;
  count(goes_on ? statistics.runs() : 0, goes_on ? statistics.total_us() : 0);
  plan_next();
}

// By what is counted of the statistics in use.
void SchedulePolicy::plan_next() {
  due_.runs = is_on_trial_ && counted_runs_ < kTrialRuns ? kTrialRuns : look_interval_;
  if (counted_runs_ >= due_.runs) due_.runs = counted_runs_ + kInitialRecheckRuns;
  if (!std::exchange(explorer_is_known_, true)) explorer_ = find_explorer();
  due_.us = kNever;
  if (explorer_ && !is_on_trial_)
    due_.us = counted_us_ + std::max(until_run_us(explorer_->earliest_run),
                                     (kExploringRuns * explorer_->loss_us - exploring_us_) / kExploring);
}

double SchedulePolicy::until_run_us(uint64_t run) const {
  return run <= runs_ ? 0 : static_cast<double>(run - runs_) * predict(main_.schedule).value_or(0) * main_.excess;
}

void SchedulePolicy::count(uint32_t runs, double us) {
  counted_runs_ = runs;
  counted_us_ = us;
}

// --- Exploring -------------------------------------------------------------------------------------------------------

bool SchedulePolicy::explore() {
  if (!explorer_ || !explorer_is_known_ || is_on_trial_ || runs_ < explorer_->earliest_run) return false;
  if (exploring_us_ < kExploringRuns * explorer_->loss_us) return false;
  return is_exploring_ = true;
}

SchedulePolicy::Move SchedulePolicy::end_exploring(const RunStatistics& statistics) {
  const double expected = predict(main_.schedule).value_or(0) * main_.excess;
  exploring_us_ -= std::max(0.0, statistics.total_us() - statistics.runs() * expected);
  const bool has_other_predictions =
      explorer_->unit ? end_exploring_unit(*explorer_->unit, statistics) : end_exploring_side_by_side(statistics);
  explorer_is_known_ = false;
  const Move move = adopt_better(false) ? Move::kAdopt : has_other_predictions ? Move::kRestart : Move::kStay;
  if (move != Move::kStay) count(0, 0);
  plan_next();
  return move;
}

// Both: whether what is predicted of the schedule in use may be another.
bool SchedulePolicy::end_exploring_unit(uint32_t unit, const RunStatistics& statistics) {
  Exploration& exploration = explorations_[unit];
  exploration.wait_runs = statistics.deviation() > options_.drift || exploration.wait_runs == 0
                              ? kExploreAgain
                              : std::min(2 * exploration.wait_runs, kExploreRarely);
  exploration.next_run = runs_ + exploration.wait_runs;
  exploration.others_contend = false;
  return learn_explored(unit, statistics);
}

bool SchedulePolicy::end_exploring_side_by_side(const RunStatistics& statistics) {
  side_by_side_run_ = runs_;
  const std::optional<double> predicted = predict(explorer_->schedule);
  if (predicted && *predicted > 0) excess_[kSideBySide] = statistics.makespan_us() / *predicted;
  return false;
}

// What was not measured, or long ago, comes first; of several units the one that is tried at the least loss.
std::optional<SchedulePolicy::Explorer> SchedulePolicy::find_explorer() const {
  std::optional<Explorer> best;
  for (const bool everything : {true, false}) {
    for (uint32_t unit = 0; unit < units_.size() && (everything || !best); ++unit) {
      if (is_failing(failing_, unit)) continue;
      std::optional<Explorer> found = everything ? explorer_with(unit, branches_to_measure(unit), kOptimisticCostFactor)
                                                 : explorer_with(unit, cheapest_branch(unit), 0);
      if (found && (!best || found->loss_us < best->loss_us)) best = std::move(found);
    }
  }
  return best ? best : side_by_side_again();
}

// Where it promises more than what is in use, if units disturb each other no more.
std::optional<SchedulePolicy::Explorer> SchedulePolicy::side_by_side_again() const {
  if (main_.manner == kSideBySide) return std::nullopt;
  std::optional<Schedule> schedule = make(options_.schedule.method, costs());
  const double in_use = predict(main_.schedule).value_or(0) * main_.excess;
  if (!schedule || schedule->makespan_us * worth_it() > in_use) return std::nullopt;
  const double loss_us = std::max(0.0, schedule->makespan_us * excess_[kSideBySide] - in_use);
  return Explorer{std::move(*schedule), std::nullopt, loss_us, side_by_side_run_ + kSideBySideAgain};
}

bool SchedulePolicy::has_been_left(uint32_t unit) const {
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

// Those that may well belong there, and of which only a model knows the cost, or that were measured long ago.
std::vector<uint32_t> SchedulePolicy::branches_to_measure(uint32_t unit) const {
  const Exploration& exploration = explorations_[unit];
  const bool is_first = exploration.wait_runs == 0, looks_again = !is_first && runs_ >= exploration.next_run;
  if (!is_first && !looks_again && !exploration.others_contend) return {};
  std::vector<uint32_t> branches;
  for (uint32_t branch = 0; branch < plan_.tables().branches.size(); ++branch) {
    const std::optional<WorkCost> here = cost_on(unit, branch);
    if (!here || here->microseconds <= 0) continue;
    if (!looks_again && here->source == CostSource::kMeasured) continue;
    double elsewhere = kNever;
    for (uint32_t other = 0; other < units_.size(); ++other)
      if (const auto cost = cost_on(other, branch); other != unit && cost)
        elsewhere = std::min(elsewhere, cost->microseconds);
    if (elsewhere < kNever && here->microseconds < kContends * elsewhere) branches.push_back(branch);
  }
  return branches;
}

// One that shows whether a unit that has been left is worth using again.
std::vector<uint32_t> SchedulePolicy::cheapest_branch(uint32_t unit) const {
  std::vector<uint32_t> cheapest;
  double least = kNever;
  for (uint32_t branch = 0; has_been_left(unit) && branch < plan_.tables().branches.size(); ++branch) {
    const std::optional<WorkCost> here = cost_on(unit, branch);
    if (!here || here->microseconds <= 0 || here->microseconds >= least) continue;
    least = here->microseconds;
    cheapest = {branch};
  }
  return cheapest;
}

// What is best if the branches cost so much less on the unit than is believed.
std::optional<SchedulePolicy::Explorer> SchedulePolicy::explorer_with(uint32_t unit,
                                                                      const std::vector<uint32_t>& branches,
                                                                      double hope) const {
  if (branches.empty()) return std::nullopt;
  CostTable costs = learned_.costs();
  const UnitKey key = key_of(units_[unit]);
  const auto make_cheaper = [&](const std::string& work) {
    const WorkCost* const known = costs.find(key, work);
    if (known != nullptr) costs.set(key, work, {known->microseconds * hope, known->source});
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
