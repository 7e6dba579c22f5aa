// SPDX-License-Identifier: Apache-2.0
#include "runtime/costs/measurement/learned_costs.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>

#include "runtime/costs/operator_cost.h"
#include "runtime/costs/unit_key.h"
#include "runtime/plan/queries/program_for.h"
#include "runtime/plan/queries/views.h"

namespace nestrt {
namespace {

// Minimum cost, so that a cost of zero in a file can grow.
constexpr double kMinUs = 0.01;

// Costs measured elsewhere have the weight of a mean over this many runs. The second value is the maximum weight,
// because boards change over time.
constexpr float kRunsOfMeasured = 16, kMaxRuns = 64;

// Relative errors of predictions: of a layer, and of a slice if another slice of the layer was measured.
constexpr double kErrorOfLayers = 0.2, kErrorOfSlices = 0.05;
// Relative error that even a mean over many runs has, because boards change, and of a single run if all runs are equal.
constexpr double kErrorOfMeasured = 0.02, kMinNoise = 0.05;

double square(double value) { return value * value; }

float runs_seen(const WorkCost& cost) {
  if (cost.source != CostSource::kMeasured) return 0;
  return cost.runs > 0 ? cost.runs : kRunsOfMeasured;
}

bool is_like(const UnitKey& key, const UnitInfo& unit) {
  return key.kind == unit.kind && key.configuration == unit.configuration;
}

bool has_like(std::span<const UnitInfo> units, const UnitKey& key) {
  return std::ranges::any_of(units, [&](const UnitInfo& unit) { return is_like(key, unit); });
}

template <typename Change>
void for_each_cost_of(const UnitInfo& unit, CostTable& costs, const Change& change) {
  const CostTable before = costs;
  for (const auto& [key, works] : before.units()) {
    if (!is_like(key, unit)) continue;
    for (const auto& [work, known] : works) {
      WorkCost cost = known;
      change(cost);
      costs.set(key, work, cost);
    }
  }
}

}  // namespace

LearnedCosts::LearnedCosts(const Plan& plan, std::span<const UnitInfo> units, const CostTable& predicted)
    : plan_(plan) {
  for (const auto& [key, works] : predicted.units())
    if (has_like(units, key))
      for (const auto& [work, cost] : works)
        costs_.set(key, work, {std::max(cost.microseconds, kMinUs), cost.source, cost.runs});
  for (const auto& [key, overhead] : predicted.overheads()) costs_.set_overhead(key, overhead);
  complete(units);
}

// Propagates a unit's slowdown to work for which only the plan has costs.
void LearnedCosts::complete(std::span<const UnitInfo> units) {
  for (const UnitInfo& unit : units) {
    for_each_program_for(plan_.tables(), unit, [&](uint32_t branch, uint32_t index, const plan::Program& program) {
      if (program.kind == plan::ProgramKind::kKernels) return;
      const Result<WorkCost> cost = branch_cost(costs_, plan_, branch, index, key_of(unit));
      if (cost) costs_.set(key_of(unit), program_work_name(plan_, branch, index), *cost);
    });
  }
}

void LearnedCosts::slow_down(const UnitInfo& unit, double factor) {
  for_each_cost_of(unit, costs_, [&](WorkCost& cost) { cost.microseconds *= factor; });
}

void LearnedCosts::change_speed(const UnitInfo& unit, double factor) {
  for_each_cost_of(unit, costs_, [&](WorkCost& cost) {
    cost.microseconds *= factor;
    cost.runs = std::min(cost.runs, kRunsOfMeasured);
  });
}

// Includes the operator's slices, whose names start with the operator's name.
void LearnedCosts::change_work(const UnitInfo& unit, uint32_t op, double factor) {
  const std::string whole = work_name(plan_, op, key_of(unit)), parts = whole + " channels ";
  const CostTable before = costs_;
  for (const auto& [key, works] : before.units()) {
    if (!is_like(key, unit)) continue;
    for (auto work = works.lower_bound(whole); work != works.end() && work->first.starts_with(whole); ++work)
      if (work->first == whole || work->first.starts_with(parts))
        costs_.set(key, work->first, {work->second.microseconds * factor, work->second.source, work->second.runs});
  }
}

void LearnedCosts::observe(const Step& step, const UnitInfo& unit, const Observed& observed) {
  const UnitKey key = key_of(unit, step.threads);
  const auto believed = branch_cost(costs_, plan_, step.branch, step.program, key, step.channels);
  if (!believed || believed->microseconds <= 0 || observed.microseconds <= 0) return;
  const News news{observed.microseconds / believed->microseconds, static_cast<float>(observed.runs), observed.noise};
  const plan::Branch& branch = plan_.tables().branches[step.branch];
  if (branch.programs[step.program].kind != plan::ProgramKind::kKernels) return observe_program(step, key, news);
  for (const uint32_t op : branch.operators)
    if (!is_view(plan_.tables(), plan_.tables().operators[op])) observe_operator(op, step, key, news);
}

// Programs for equal slices are the same work item.
void LearnedCosts::observe_program(const Step& step, const UnitKey& key, News news) {
  const std::string observed = program_work_name(plan_, step.branch, step.program);
  std::map<std::string, WorkCost> works;
  for (uint32_t program = 0; program < plan_.tables().branches[step.branch].programs.size(); ++program) {
    const std::string work = program_work_name(plan_, step.branch, program);
    if (const WorkCost* const known = costs_.find(key, work)) works.emplace(work, *known);
  }
  const bool has_measured = std::ranges::any_of(works, [](const auto& work) { return runs_seen(work.second) > 0; });
  news.mispredicted = has_measured ? kErrorOfSlices : kErrorOfLayers;
  for (const auto& [work, known] : works)
    work == observed ? believe(key, work, known, news) : follow(key, work, known, news);
}

// Records a measurement of an operator or a slice. A slice whose cost was derived from the operator's gets its own
// entry. Slice names start with the operator's name.
void LearnedCosts::observe_operator(uint32_t op, const Step& step, const UnitKey& key, News news) {
  const std::string whole = work_name(plan_, op, key), part = work_name(plan_, op, key, step.channels);
  const Result<WorkCost> known = operator_cost(costs_, plan_, op, key, step.channels);
  if (!known) return;
  const CostTable::Works& works = costs_.units().at(key);
  const auto begin = works.lower_bound(whole);
  const auto end = std::find_if(begin, works.end(), [&](const auto& work) { return !work.first.starts_with(whole); });
  const bool has_measured = std::any_of(begin, end, [](const auto& work) { return runs_seen(work.second) > 0; });
  news.mispredicted = has_measured ? kErrorOfSlices : kErrorOfLayers;
  for (auto work = begin; work != end; ++work)
    if (work->first != part) follow(key, work->first, work->second, news);
  believe(key, part, *known, news);
}

double LearnedCosts::News::factor_after(float seen) const {
  const double of_run = square(std::max(noise, kMinNoise));
  const double known = seen > 0 ? of_run / seen + square(kErrorOfMeasured) : square(mispredicted);
  return std::pow(factor, known / (known + of_run / runs));
}

void LearnedCosts::believe(const UnitKey& key, const std::string& work, const WorkCost& known, const News& news) {
  const float seen = runs_seen(known);
  const double microseconds = known.microseconds * news.factor_after(seen);
  costs_.set(key, work, {microseconds, CostSource::kMeasured, std::min(seen + news.runs, kMaxRuns)});
}

void LearnedCosts::follow(const UnitKey& key, const std::string& work, const WorkCost& known, const News& news) {
  if (runs_seen(known) == 0) costs_.set(key, work, {known.microseconds * news.factor_after(0), known.source});
}

}  // namespace nestrt
