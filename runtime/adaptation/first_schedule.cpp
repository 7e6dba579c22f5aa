// SPDX-License-Identifier: Apache-2.0
#include "runtime/adaptation/first_schedule.h"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "nestrt/log.h"
#include "runtime/adaptation/file_order.h"
#include "runtime/costs/estimated_costs.h"
#include "runtime/costs/measurement/measure_costs.h"
#include "runtime/costs/stated_costs.h"
#include "runtime/costs/unit_key.h"
#include "runtime/execution/working_units.h"
#include "runtime/plan/format/kernel_alternatives.h"
#include "runtime/plan/queries/program_for.h"
#include "runtime/plan/queries/run_memory.h"

namespace nestrt {
namespace {

// Schedules tolerate cost errors of a few percent, and later runs correct them.
MeasureOptions at_load(std::chrono::milliseconds unit_timeout) {
  MeasureOptions options;
  options.unit_timeout = unit_timeout;
  options.warmup = 1;
  options.min_runs = 3;
  options.max_runs = 15;
  options.precision = 0.1;
  options.limit = std::chrono::milliseconds(300);  // for each unit, and each way to split operators
  options.total_limit = std::chrono::seconds(10);
  return options;
}

// Returns whether the plan has programs for more than one unit.
bool has_choice(const plan::Tables& plan, std::span<const UnitInfo> units) {
  return std::count_if(units.begin(), units.end(), [&](const UnitInfo& unit) { return is_useful(plan, unit); }) > 1;
}

bool has_host(std::span<const UnitInfo> units) {
  return std::any_of(units.begin(), units.end(), [](const UnitInfo& unit) { return unit.is_host; });
}

CostTable measured_of(const CostTable& costs) {
  CostTable measured;
  for (const auto& [unit, works] : costs.units())
    for (const auto& [work, cost] : works)
      if (cost.source == CostSource::kMeasured) measured.set(unit, work, cost);
  return measured;
}

class FirstScheduleMaker {
 public:
  FirstScheduleMaker(const std::shared_ptr<const Plan>& plan, const UnitList& units, std::span<const UnitInfo> infos,
                     const SessionOptions& options, UnitHealth& health)
      : plan_(plan), units_(units), infos_(infos), options_(options), health_(health) {}

  Result<FirstSchedule> make() const {
    FirstSchedule first;
    if (options_.fixed_schedule != nullptr) {
      first.schedule = *options_.fixed_schedule;
    } else if (!needs_costs()) {
      NESTRT_ASSIGN_OR_RETURN(first.schedule, in_file_order());
    } else {
      if (keeps_costs()) first.cache = std::make_shared<const CostCache>(*plan_, infos_);
      NESTRT_ASSIGN_OR_RETURN(const CostTable known, first.cache != nullptr ? first.cache->read() : kept_costs());
      first.measured = measured_of(known);
      if (learns()) first.costs = stated_costs(*plan_, infos_);
      first.costs.merge(known);
      if (options_.costs.table != nullptr) first.costs.merge(*options_.costs.table);
      NESTRT_RETURN_IF_ERROR(make_from_costs(&first));
    }
    if (first.cache == nullptr && learns_kernels()) {
      first.cache = std::make_shared<const CostCache>(*plan_, infos_);
      first.costs = first.cache->read();
    }
    return first;
  }

 private:
  // Kernels can be learned even if schedules cannot.
  bool learns_kernels() const {
    return keeps_costs() && options_.adaptation.kernels != KernelChoice::kCompiler &&
           names_alternatives(plan_->tables());
  }

  bool needs_costs() const {
    const plan::Tables& tables = plan_->tables();
    const bool is_possible = memory_plan_for(tables, plan::MemoryPlanKind::kAnySchedule) != nullptr;
    const bool is_requested = options_.costs.table != nullptr || !options_.costs.file.empty();
    const bool is_worthwhile = is_requested || (has_choice(tables, infos_) && has_host(infos_));
    return options_.schedule.method != ScheduleMethod::kFileOrder && is_possible && is_worthwhile;
  }

  Status make_from_costs(FirstSchedule* first) const {
    Result<Schedule> schedule = from(first->costs);
    if (is_missing(schedule) && options_.costs.measure != Measuring::kNever) {
      if (measures_before())
        NESTRT_RETURN_IF_ERROR(measure(first));
      else
        add_estimates(*plan_, infos_, first->costs);
      schedule = from(first->costs);
    }
    first->has_costs = schedule.has_value();
    if (is_missing(schedule) && first->costs.empty()) schedule = in_file_order();
    NESTRT_ASSIGN_OR_RETURN(first->schedule, std::move(schedule));
    return {};
  }

  static bool is_missing(const Result<Schedule>& schedule) {
    return !schedule && schedule.error().code() == Code::kNotFound;
  }

  bool learns() const { return options_.costs.measure == Measuring::kInRuns && !measures_before(); }

  // Returns whether costs are measured before the first run. Nothing can be learned from runs with checks, because the
  // host repeats their work.
  bool measures_before() const {
    return options_.costs.measure == Measuring::kBefore || !options_.costs.file.empty() ||
           options_.fault_tolerance.check_every == 1;
  }

  bool keeps_costs() const {
    return options_.costs.keep && options_.costs.measure == Measuring::kInRuns && options_.adaptation.drift > 0 &&
           options_.costs.table == nullptr && options_.costs.file.empty();
  }

  Result<Schedule> from(const CostTable& costs) const {
    return schedule_for_working_units(*plan_, infos_, health_.failing(), costs, options_.schedule);
  }

  Result<CostTable> kept_costs() const {
    CostTable costs;
    if (!options_.costs.file.empty()) {
      Result<CostTable> kept = read_costs(options_.costs.file);
      if (kept)
        costs = std::move(*kept);
      else if (kept.error().code() == Code::kIncompatible)  // written by another version of nestrt
        log(LogLevel::kWarning, fmt::format("measuring costs again: {}", kept.error().to_string()));
      else if (kept.error().code() != Code::kNotFound)  // does not overwrite unknown content
        return kept.error().with_context("cost file");
    }
    return costs;
  }

  Status measure(FirstSchedule* first) const {
    CostTable* const costs = &first->costs;
    MeasureOptions options = at_load(options_.fault_tolerance.unit_timeout);
    for (const UnitInfo& unit : infos_) std::ranges::copy(unit.refused, std::back_inserter(options.rejected));
    NESTRT_ASSIGN_OR_RETURN(const MeasuredCosts measured, measure_costs(plan_, units_, options));
    first->measured.merge(measured.costs);
    CostTable known = std::exchange(*costs, measured.costs);
    costs->merge(known);
    for (const FailedUnit& failed : measured.failed) exclude(failed);
    if (options_.costs.file.empty() || !measured.failed.empty()) return {};
    const Status status = write_costs(options_.costs.file, *costs);
    if (!status.ok()) log(LogLevel::kWarning, fmt::format("cannot store costs: {}", status.to_string()));
    return {};
  }

  // Records the failure for all units of the same kind, because their costs are also unknown.
  void exclude(const FailedUnit& failed) const {
    for (uint32_t unit = 0; unit < infos_.size(); ++unit)
      if (key_of(infos_[unit]) == key_of(infos_[failed.unit])) health_.record_failure(unit, failed.why);
  }

  Result<Schedule> in_file_order() const {
    Result<Schedule> schedule = file_order_schedule(*plan_, infos_);
    if (schedule || schedule.error().code() != Code::kIncompatible) return schedule;
    for (uint32_t branch = 0; branch < plan_->tables().branches.size(); ++branch)
      NESTRT_RETURN_IF_ERROR(explain_no_unit(branch));
    return schedule;
  }

  // Returns the reason why a unit of another configuration rejects the branch's program, or ok if no unit rejects it.
  Status explain_no_unit(uint32_t branch) const {
    for (const plan::Program& program : plan_->tables().branches[branch].programs) {
      for (const std::shared_ptr<Unit>& unit : units_) {
        if (program.unit != unit->info().kind || can_run(program, unit->info())) continue;
        if (const auto refused = unit->prepare({plan_, branch, &program, {}}); !refused) return refused.error();
      }
    }
    return {};
  }

  const std::shared_ptr<const Plan>& plan_;
  const UnitList& units_;
  const std::span<const UnitInfo> infos_;
  const SessionOptions& options_;
  UnitHealth& health_;
};

}  // namespace

Result<FirstSchedule> make_first_schedule(const std::shared_ptr<const Plan>& plan, const UnitList& units,
                                          std::span<const UnitInfo> infos, const SessionOptions& options,
                                          UnitHealth& health) {
  return FirstScheduleMaker(plan, units, infos, options, health).make();
}

}  // namespace nestrt
