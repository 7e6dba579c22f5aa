// SPDX-License-Identifier: Apache-2.0
#include "test/runtime/support/virtual_session.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <numeric>
#include <string>
#include <tuple>

#include "runtime/costs/unit_key.h"
#include "runtime/execution/working_units.h"
#include "scheduler/problem/plan_problem.h"
#include "scheduler/simulation/virtual_time.h"

namespace nestrt::test {
namespace {

constexpr uint32_t kHost = 0, kNpu = 1;
// Number of runs that pass during a search and the preparation of its result.
constexpr int kRunsToDecide = 2;

const Shape kShape{1, 4};

// Standard deviation of cost errors within a layer, relative to that between layers (script/reports/fit-estimates).
constexpr double kOfSlices = 0.3;

// Returns the work name without its slice or program suffix.
std::string layer_of(const std::string& work) {
  return work.substr(0, std::min(work.find(" channels "), work.find("; program of ")));
}

// Returns a plan in which each node adds its inputs. Different slopes of their ReLUs make the work of the nodes
// distinct.
PlanFile plan_of(const Predecessors& graph) {
  PlanBuilder builder;
  const int x = builder.input("x", kShape);
  std::vector<int> result;
  for (size_t node = 0; node < graph.size(); ++node) {
    int sum = graph[node].empty() ? x : result[graph[node][0]];
    for (size_t i = 1; i < graph[node].size(); ++i) {
      const int added = builder.arena("sum", kShape);
      builder.op("add", binary(ops::BinaryKind::kAdd), {std::exchange(sum, added), result[graph[node][i]]}, {added});
    }
    const bool is_last = node + 1 == graph.size();
    result.push_back(is_last ? builder.output("y", kShape) : builder.arena("between", kShape));
    ops::Unary work = unary(ops::UnaryKind::kLeakyRelu);
    work.alpha = static_cast<float>(node);
    builder.op("work", work, {sum}, {result.back()});
    builder.branch();
  }
  plan::Tables& tables = builder.tables();
  for (size_t branch = 0; branch < tables.branches.size(); ++branch)
    if (branch % 8 != 0) tables.branches[branch].programs.emplace_back().unit = "npu";
  plan::MemoryPlan any = tables.memory_plans[0];
  any.kind = plan::MemoryPlanKind::kAnySchedule;
  tables.memory_plans.push_back(std::move(any));
  return builder.build();
}

}  // namespace

VirtualSession::VirtualSession(const Predecessors& graph, uint32_t seed, double wrong)
    : random_(seed), statistics_(Schedule(), {}) {
  search_.budget = std::chrono::hours(24);  // unlimited, so that nothing depends on the clock
  file_.emplace(plan_of(graph));
  plan_ = *Plan::from_memory(file_->bytes());
  units_ = {UnitInfo{"cpu", "cpu", "", 1, true}, UnitInfo{"npu", "npu0", "", 1, false}};
  std::uniform_real_distribution<double> size(100, 2000), ratio(0.25, 1.2);
  for (uint32_t op = 0; op < plan_->tables().operators.size(); ++op) {
    const bool is_free = plan_->tables().operators[op].as<ops::Binary>() != nullptr;
    const double host_us = is_free ? 0 : size(random_), npu_us = host_us * ratio(random_);
    predicted_.set(key_of(units_[kHost]), work_name(*plan_, op, key_of(units_[kHost])),
                   {host_us, CostSource::kModelled});
    predicted_.set(key_of(units_[kNpu]), work_name(*plan_, op, key_of(units_[kNpu])), {npu_us, CostSource::kModelled});
  }
  predicted_.set_overhead(key_of(units_[kNpu]), {4, 5, 0, 0});
  begin(wrong);
}

VirtualSession::VirtualSession(std::shared_ptr<const Plan> plan, std::vector<UnitInfo> units,
                               const CostTable& predicted, uint32_t seed, double wrong,
                               std::chrono::microseconds budget)
    : plan_(std::move(plan)),
      units_(std::move(units)),
      predicted_(LearnedCosts(*plan_, units_, predicted).costs()),
      random_(seed),
      statistics_(Schedule(), {}) {
  search_.budget = budget;
  begin(wrong);
}

void VirtualSession::begin(double wrong) {
  std::normal_distribution<double> error(0, wrong);
  exact_ = predicted_;
  for (const auto& [unit, works] : predicted_.units()) {
    std::map<std::string, double> layer_errors;
    for (const auto& [work, cost] : works) {
      const auto [layer, is_new] = layer_errors.try_emplace(layer_of(work));
      if (is_new) layer->second = error(random_);
      const double deviation = layer->second + kOfSlices * error(random_);
      exact_.set(unit, work, {cost.microseconds * std::exp(deviation), CostSource::kMeasured});
    }
  }
  schedule_ = *make_schedule(*plan_, units_, predicted_, search_);
  problem_ = *scheduler::make_problem(*plan_, units_, predicted_);
  policy_ = std::make_unique<SchedulePolicy>(*plan_, units_, predicted_, schedule_, PolicyOptions{search_});
  statistics_ = policy_->new_statistics();
}

VirtualSession::Run VirtualSession::run(const BoardState& state) {
  if (next_ && --runs_until_next_ <= 0) {
    std::swap(schedule_, next_->first);
    std::swap(statistics_, next_->second);
    explores_ = next_explores_;
    if (explores_) parked_ = std::move(next_);
    next_.reset();
    timed_state_.reset();
  }
  const Truth& truth = truth_of(state);
  const bool fails =
      state.npu_is_failing && std::ranges::any_of(schedule_.lanes, [](const Lane& lane) { return lane.unit == kNpu; });
  Run run{0, truth.best_us, truth.host_us, explores_};
  std::vector<double> step_us = this->step_us(state);
  run.makespan_us = fails ? truth.host_us : disturbed_us(state, schedule_, step_us);
  std::normal_distribution<double> deviation(0, 1);
  for (double& us : step_us) us *= std::exp(state.noise * deviation(random_));
  std::ranges::copy(step_us, statistics_.step_us().begin());
  if (!fails) statistics_.end_run(disturbed_us(state, schedule_, step_us));
  const uint64_t failing = state.npu_is_failing ? uint64_t{1} << kNpu : 0;
  const bool is_due = policy_->due().is_reached(statistics_, policy_->drift());
  if (explores_ ? failing != failing_ || statistics_.runs() >= SchedulePolicy::kExploringRuns
                : !next_ && (is_due || failing != failing_)) {
    failing_ = failing;
    explores_ ? end_exploring() : decide(statistics_);
  }
  return run;
}

// Restores the previous schedule.
void VirtualSession::end_exploring() {
  const RunStatistics explored = statistics_;
  std::tie(schedule_, statistics_) = std::move(*parked_);
  explores_ = false;
  timed_state_.reset();
  decide(explored);
}

void VirtualSession::decide(const RunStatistics& statistics) {
  using Move = SchedulePolicy::Move;
  const Move move = policy_->decide(statistics, failing_);
  if (move == Move::kStay) return;
  next_.emplace(policy_->schedule(), policy_->new_statistics());
  next_explores_ = move == Move::kExplore;
  runs_until_next_ = kRunsToDecide;
  changes_ += move == Move::kAdopt || move == Move::kRollBack;
}

// Returns the true times of the steps of the schedule in use.
const std::vector<double>& VirtualSession::step_us(const BoardState& state) {
  if (timed_state_ == state) return step_us_;
  timed_state_ = state;
  return step_us_ = predict_schedule(*plan_, units_, truth_of(state).costs, schedule_)->step_us;
}

// Returns the makespan under contention: time during which both units work is multiplied by BoardState::contention.
double VirtualSession::disturbed_us(const BoardState& state, const Schedule& schedule,
                                    const std::vector<double>& step_us) const {
  const double makespan_us = run_in_virtual_time(*problem_, schedule, step_us)->makespan_us;
  const double work_us = std::accumulate(step_us.begin(), step_us.end(), 0.0);
  return makespan_us + std::max(0.0, work_us - makespan_us) * (state.contention - 1);
}

const VirtualSession::Truth& VirtualSession::truth_of(const BoardState& state) {
  const auto is_state = [&](const auto& known) { return known.first == state; };
  const auto known = std::ranges::find_if(truths_, is_state);
  if (known != truths_.end()) return known->second;
  Truth truth{true_costs(state)};
  const uint64_t failing = state.npu_is_failing ? uint64_t{1} << kNpu : 0;
  const auto makespan = [&](uint64_t without, ScheduleMethod method) {
    ScheduleOptions options = search_;
    options.method = method;
    return schedule_for_working_units(*plan_, units_, without, truth.costs, options)->makespan_us;
  };
  truth.host_us = makespan(uint64_t{1} << kNpu, ScheduleMethod::kSequential);
  const auto optimum = schedule_for_working_units(*plan_, units_, failing, truth.costs, search_);
  const auto steps = predict_schedule(*plan_, units_, truth.costs, *optimum);
  truth.best_us =
      std::min(disturbed_us(state, *optimum, steps->step_us), makespan(failing, ScheduleMethod::kSequential));
  return truths_.emplace_back(state, std::move(truth)).second;
}

CostTable VirtualSession::true_costs(const BoardState& state) const {
  CostTable costs = exact_;
  for (const auto& [unit, works] : exact_.units())
    for (const auto& [work, cost] : works)
      costs.set(unit, work, {cost.microseconds * (unit.kind == "cpu" ? state.host : state.npu), cost.source});
  return costs;
}

}  // namespace nestrt::test
