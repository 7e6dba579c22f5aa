// SPDX-License-Identifier: Apache-2.0
#include "tools/nestrt/simulation/concurrent_plans.h"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <deque>
#include <filesystem>

#include "nestrt/driver/plan_tables.h"
#include "nestrt/driver/schedule.h"
#include "runtime/concurrency/unit_demand.h"
#include "scheduler/multi_session/contention_aware.h"
#include "scheduler/problem/plan_problem.h"
#include "scheduler/problem/schedule_steps.h"
#include "scheduler/search/solve.h"
#include "tools/support/nest_c/nest_c_partition.h"
#include "tools/support/text/files.h"
#include "tools/support/text/printable.h"
#include "tools/support/text/table.h"

namespace nestrt::command {
namespace {

using tools::Align;
using tools::Json;
using tools::Table;

constexpr size_t kInferences = 200;  // per session; faster sessions run more

// The problems of all sessions and their schedules.
class Sessions {
 public:
  Sessions(bool urgent, int budget_ms) : urgent_(urgent), budget_(budget_ms) {}

  Status add(const BoardPlan& plan) {
    const scheduler::PlanProblemOptions options{.shared = &plan.board.shared};
    NESTRT_ASSIGN_OR_RETURN(problems_.emplace_back(),
                            scheduler::make_problem(*plan.plan, plan.board.units, plan.board.costs, options));
    return {};
  }

  Result<ConcurrentFigures> each_by(ScheduleMethod method, const char* name) const {
    std::vector<scheduler::Solution> solutions;
    for (const scheduler::Problem& problem : problems_)
      solutions.push_back(scheduler::solve(problem, method, budget_).solution);
    return run(name, solutions);
  }

  // Simulates contention-aware sessions. Each session knows how busy the others keep the units when they run alone, as
  // concurrently created sessions do.
  Result<ConcurrentFigures> each_contention_aware() const {
    std::vector<std::vector<double>> shares;
    for (const scheduler::Problem& problem : problems_) {
      const auto alone = scheduler::solve(problem, ScheduleMethod::kOptimum, budget_).solution;
      NESTRT_ASSIGN_OR_RETURN(const scheduler::Loads loads,
                              scheduler::loads_of(problem, scheduler::to_schedule(problem, alone)));
      shares.push_back(loads.units_us);
      for (double& share : shares.back()) share /= alone.makespan_us;
    }
    std::vector<scheduler::Solution> solutions;
    for (size_t i = 0; i < problems_.size(); ++i) {
      std::vector<double> others(problems_[i].units.size(), 0);
      for (size_t j = 0; j < shares.size(); ++j)
        for (size_t unit = 0; j != i && unit < others.size(); ++unit) others[unit] += shares[j][unit];
      if ((urgent_ && i == 0) || !is_contended(others, false)) others.clear();
      solutions.push_back(
          scheduler::solve_contention_aware(problems_[i], others, ScheduleMethod::kOptimum, budget_).solution);
    }
    return run("each contention-aware", solutions);
  }

  Result<ConcurrentFigures> balanced_together() const {
    std::vector<scheduler::RoundPart> parts;
    for (const scheduler::Problem& problem : problems_) parts.push_back({problem});
    return run("balanced together", scheduler::balance_together(parts, budget_));
  }

 private:
  Result<ConcurrentFigures> run(const char* name, const std::vector<scheduler::Solution>& solutions) const {
    ConcurrentFigures figures{name, {}, {}};
    for (size_t i = 0; i < solutions.size(); ++i)
      figures.schedules.push_back(scheduler::to_schedule(problems_[i], solutions[i]));
    std::vector<scheduler::VirtualSession> sessions;
    for (size_t i = 0; i < solutions.size(); ++i)
      sessions.push_back({problems_[i], figures.schedules[i], urgent_ && i == 0});
    NESTRT_ASSIGN_OR_RETURN(figures.run, scheduler::run_concurrently(sessions, kInferences));
    return figures;
  }

  const bool urgent_;
  const std::chrono::milliseconds budget_;
  std::deque<scheduler::Problem> problems_;
};

std::string format_us_as_ms(double microseconds) { return fmt::format("{:.2f}", microseconds / 1e3); }

// Returns the NEST-C name of a unit, with its index among the units of its kind.
std::string backend_of(std::span<const UnitInfo> units, uint32_t unit) {
  const auto before = units.first(unit);
  const auto instance = std::ranges::count(before, units[unit].kind, &UnitInfo::kind);
  return tools::nest_c_backend(units[unit].kind, static_cast<uint32_t>(instance));
}

// Converts a schedule to a partition plan: consecutive steps on one unit are a partition.
tools::NestCPartitionPlan placement_of(const BoardPlan& plan, const Schedule& schedule) {
  const plan::Tables& tables = plan.plan->tables();
  const std::vector<std::string> names = tools::nest_c_node_names(tables);
  tools::NestCPartitionPlan placement;
  placement.function = tools::nest_c_name(tables.model_name);
  uint32_t last = UINT32_MAX;
  for (const Step& step : schedule.steps) {
    const uint32_t unit = schedule.lanes[step.lane].unit;
    if (unit != last)
      placement.partitions.push_back(
          {"p" + std::to_string(placement.partitions.size()), backend_of(plan.board.units, unit), unit});
    last = unit;
    for (const uint32_t op : tables.branches[step.branch].operators)
      placement.nodes.emplace_back(names[op], static_cast<uint32_t>(placement.partitions.size() - 1));
  }
  return placement;
}

}  // namespace

Result<std::vector<ConcurrentFigures>> simulate_concurrent_plans(std::span<const BoardPlan> plans, bool urgent,
                                                                 int budget_ms) {
  Sessions sessions(urgent, budget_ms);
  for (const BoardPlan& plan : plans) NESTRT_RETURN_IF_ERROR(sessions.add(plan));
  std::vector<ConcurrentFigures> all;
  NESTRT_ASSIGN_OR_RETURN(all.emplace_back(), sessions.each_by(ScheduleMethod::kOptimum, "each shortest"));
  NESTRT_ASSIGN_OR_RETURN(all.emplace_back(), sessions.each_by(ScheduleMethod::kThroughput, "each balanced"));
  NESTRT_ASSIGN_OR_RETURN(all.emplace_back(), sessions.each_contention_aware());
  NESTRT_ASSIGN_OR_RETURN(all.emplace_back(), sessions.balanced_together());
  return all;
}

void print(const std::vector<ConcurrentFigures>& all, std::span<const BoardPlan> plans, bool urgent) {
  Table table({{"schedules"},
               {"session"},
               {"alone", Align::kRight},
               {"median", Align::kRight},
               {"p99", Align::kRight},
               {"longest", Align::kRight},
               {"per second", Align::kRight},
               {"% of bound", Align::kRight}});
  for (const ConcurrentFigures& figures : all) {
    for (size_t i = 0; i < plans.size(); ++i) {
      const scheduler::SessionFigures& session = figures.run.sessions[i];
      table.add_row(
          {i == 0 ? figures.sort : "", tools::printable(plans[i].path) + (urgent && i == 0 ? " (urgent)" : ""),
           format_us_as_ms(session.alone_us), format_us_as_ms(session.median_us), format_us_as_ms(session.p99_us),
           format_us_as_ms(session.longest_us), fmt::format("{:.1f}", session.per_second),
           i == 0 ? fmt::format("{:.1f}", 100 * figures.run.bound_fraction) : ""});
    }
  }
  fmt::print(
      "\n{} concurrent sessions; each starts its next inference when the previous one ends. Latency in ms."
      "\n\n{}",
      plans.size(), table.to_string());
}

Json to_json(const std::vector<ConcurrentFigures>& all, std::span<const BoardPlan> plans) {
  Json json = Json::array();
  for (const ConcurrentFigures& figures : all) {
    Json sessions = Json::array();
    for (size_t i = 0; i < plans.size(); ++i) {
      const scheduler::SessionFigures& session = figures.run.sessions[i];
      sessions.push_back({{"plan", plans[i].path},
                          {"alone_ms", session.alone_us / 1e3},
                          {"median_ms", session.median_us / 1e3},
                          {"p99_ms", session.p99_us / 1e3},
                          {"longest_ms", session.longest_us / 1e3},
                          {"per_second", session.per_second},
                          {"estimated", Json::array(estimated_operators(*plans[i].plan, plans[i].board))}});
    }
    Json entry{{"schedules", figures.sort}, {"of_bound", figures.run.bound_fraction}};
    entry.set("sessions", std::move(sessions));
    json.push_back(std::move(entry));
  }
  return json;
}

std::string placement_file(const std::string& folder, size_t session) {
  return (std::filesystem::path(folder) / fmt::format("{}.yaml", session)).string();
}

Status write_placements(const std::string& folder, const ConcurrentFigures& figures, std::span<const BoardPlan> plans) {
  for (size_t i = 0; i < plans.size(); ++i) {
    const tools::NestCPartitionPlan placement = placement_of(plans[i], figures.schedules[i]);
    NESTRT_RETURN_IF_ERROR(tools::write_text(placement_file(folder, i), placement.to_yaml()));
  }
  return {};
}

}  // namespace nestrt::command
