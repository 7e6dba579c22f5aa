// SPDX-License-Identifier: Apache-2.0
// nestrt simulate: predicts schedules of a plan on a simulated board, in virtual time.
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <iterator>
#include <numeric>
#include <set>

#include "drivers/known_units.h"
#include "nestrt/driver/plan_tables.h"
#include "nestrt/driver/schedule.h"
#include "runtime/plan/queries/channels.h"
#include "runtime/plan/queries/dependencies.h"
#include "runtime/plan/queries/statistics.h"
#include "scheduler/problem/plan_problem.h"
#include "scheduler/problem/regions.h"
#include "scheduler/problem/restriction.h"
#include "scheduler/problem/schedule_steps.h"
#include "scheduler/search/bounds.h"
#include "scheduler/search/solve.h"
#include "scheduler/simulation/virtual_time.h"
#include "tools/nestrt/commands.h"
#include "tools/nestrt/figures.h"
#include "tools/nestrt/figures/summaries.h"
#include "tools/nestrt/load.h"
#include "tools/nestrt/simulation/concurrent_plans.h"
#include "tools/nestrt/simulation/simulated.h"
#include "tools/nestrt/simulation/simulation_warnings.h"
#include "tools/nestrt/simulation/virtual_board.h"
#include "tools/support/board/board.h"
#include "tools/support/page/page.h"
#include "tools/support/page/plan_figures.h"
#include "tools/support/report/chrome_trace.h"
#include "tools/support/report/plan_shape.h"

namespace nestrt::command {
namespace {

// The throughput with several inferences in flight.
struct InFlight {
  double per_second = 0;  // upper bound
  uint32_t npu_branches = 0;

  void keep_faster(const InFlight& other) {
    if (other.per_second > per_second) *this = other;
  }
};

struct Figures {
  double npu_clock_mhz = 0;
  double cpu_scale = 1;
  double cpu_only_us = 0;
  Simulated sequential, enumerated, optimum, split;
  InFlight in_flight;
  double additive_bound_us = 0;
  double load_bound_us = 0;
  size_t groups_found = 0;
};

// Returns an upper bound of the throughput. The busiest unit, whose thread also transfers operands and results, is
// never idle. The same holds for the memory while several units work. A unit that works alone does not run short of
// memory bandwidth, so sequential inferences may achieve more.
Result<InFlight> in_flight(const scheduler::Problem& problem, const Schedule& schedule, double latency_us) {
  NESTRT_ASSIGN_OR_RETURN(const scheduler::Loads loads, scheduler::loads_of(problem, schedule));
  double busiest_us = 0;
  for (size_t unit = 0; unit < loads.units_us.size(); ++unit)
    busiest_us = std::max(busiest_us, loads.units_us[unit] + loads.transfers_us[unit]);
  const double one_by_one_us = std::accumulate(loads.units_us.begin(), loads.units_us.end(), 0.0);
  const double memory_us = problem.memory_mb_per_s > 0 ? loads.bytes / problem.memory_mb_per_s : 0;
  const double least_us = std::min(latency_us, std::max(busiest_us, std::min(memory_us, one_by_one_us)));
  return InFlight{least_us > 0 ? 1e6 / least_us : 0, count_npu_branches(problem, schedule)};
}

// Returns the best of the schedules that minimise the load of the busiest unit, with all accelerators and with fewer of
// them. The costs of transfers and of memory are added to each solution afterwards.
Result<InFlight> best_in_flight(const scheduler::Problem& problem, double latency_us,
                                std::chrono::milliseconds budget) {
  const scheduler::Solved all = scheduler::solve(problem, ScheduleMethod::kThroughput, budget);
  NESTRT_ASSIGN_OR_RETURN(InFlight best, in_flight(problem, scheduler::to_schedule(problem, all.solution), latency_us));
  const auto num_npus = std::ranges::count(problem.units, false, &scheduler::ProblemUnit::is_host);
  for (auto count = num_npus - 1; count > 0; --count) {
    const scheduler::Restriction fewer = scheduler::with_fewer_units(problem, static_cast<size_t>(count));
    scheduler::Solved solved = scheduler::solve(fewer.problem(), ScheduleMethod::kThroughput, budget);
    const scheduler::Solution solution = fewer.to_original(std::move(solved.solution));
    NESTRT_ASSIGN_OR_RETURN(const InFlight found,
                            in_flight(problem, scheduler::to_schedule(problem, solution), latency_us));
    best.keep_faster(found);
  }
  return best;
}

Result<double> cpu_only_us(const Plan& plan, const VirtualBoard& board, int budget_ms) {
  NESTRT_ASSIGN_OR_RETURN(const auto problem,
                          scheduler::make_problem(plan, std::span(&board.units.back(), 1), board.costs,
                                                  {.split_channels = false, .share_cores = false}));
  NESTRT_ASSIGN_OR_RETURN(const Simulated alone, simulate(problem, ScheduleMethod::kSequential, budget_ms));
  return alone.run.makespan_us;
}

// Counts the parallel groups among the plan's operators. A fork may be an operator that computes nothing, such as an
// in-place concatenation.
size_t count_groups(const plan::Tables& tables) {
  return scheduler::parallel_groups(scheduler::find_regions(operator_predecessors(tables))).size();
}

Result<Figures> figures_of(const Plan& plan, const VirtualBoard& board, int budget_ms) {
  Figures figures;
  NESTRT_ASSIGN_OR_RETURN(figures.cpu_only_us, cpu_only_us(plan, board, budget_ms));
  const auto problem_with = [&](bool split, bool share) {
    return scheduler::make_problem(plan, board.units, board.costs,
                                   {.split_channels = split, .share_cores = share, .shared = &board.shared});
  };
  NESTRT_ASSIGN_OR_RETURN(const scheduler::Problem whole, problem_with(false, false));
  NESTRT_ASSIGN_OR_RETURN(figures.sequential, simulate(whole, ScheduleMethod::kSequential, budget_ms));
  NESTRT_ASSIGN_OR_RETURN(figures.enumerated, simulate(whole, ScheduleMethod::kGroupEnumeration, budget_ms));
  NESTRT_ASSIGN_OR_RETURN(const scheduler::Problem shared, problem_with(false, true));
  NESTRT_ASSIGN_OR_RETURN(figures.optimum, simulate(shared, ScheduleMethod::kOptimum, budget_ms));
  NESTRT_ASSIGN_OR_RETURN(const scheduler::Problem divided, problem_with(true, true));
  NESTRT_ASSIGN_OR_RETURN(figures.split, simulate(divided, ScheduleMethod::kOptimum, budget_ms));
  NESTRT_RETURN_IF_ERROR(take_shorter(shared, figures.enumerated, figures.optimum));
  NESTRT_RETURN_IF_ERROR(take_shorter(divided, figures.optimum, figures.split));
  const double latency_us = std::min({figures.cpu_only_us, figures.sequential.run.makespan_us,
                                      figures.optimum.run.makespan_us, figures.split.run.makespan_us});
  NESTRT_ASSIGN_OR_RETURN(figures.in_flight, best_in_flight(whole, latency_us, std::chrono::milliseconds(budget_ms)));
  // Schedules of minimal latency are candidates, too. The shortest one may share cores.
  for (const auto& [problem, schedule] :
       {std::pair(&whole, &figures.sequential.schedule), std::pair(&shared, &figures.optimum.schedule)}) {
    NESTRT_ASSIGN_OR_RETURN(const InFlight found, in_flight(*problem, *schedule, latency_us));
    figures.in_flight.keep_faster(found);
  }
  figures.additive_bound_us = scheduler::additive_bound_us(whole);
  figures.load_bound_us = scheduler::load_bound_us(whole);
  figures.groups_found = count_groups(plan.tables());
  return figures;
}

// Reads the profiles that the options name, or else those of the board file.
Result<CostTable> read_profiles(const SimulateOptions& options, const std::string& board_path,
                                const tools::Board& board) {
  if (!options.profiles.empty()) return tools::read_profiles(options.profiles, board.units);
  NESTRT_ASSIGN_OR_RETURN(const std::vector<std::string> paths, tools::profiles_of(board, board_path));
  return tools::read_profiles(paths, board.units);
}

std::string format_ms(double microseconds) { return fmt::format("{:.2f}", microseconds / 1e3); }

std::string format_gain(double microseconds, double before) {
  const double percent = before > 0 ? 100 * (1 - microseconds / before) : 0;
  return fmt::format("{:.1f} %", std::abs(percent) < 0.05 ? 0 : percent);  // without the sign of a negative zero
}

Table latency_table(const std::vector<Figures>& all) {
  Table table({{"NPU MHz", Align::kRight},
               {"CPU x", Align::kRight},
               {"CPU only", Align::kRight},
               {"sequential", Align::kRight},
               {"enumeration", Align::kRight},
               {"gain", Align::kRight},
               {"optimum", Align::kRight},
               {"gain", Align::kRight},
               {"split", Align::kRight},
               {"gain", Align::kRight},
               {"bound", Align::kRight},
               {"additive bound", Align::kRight},
               {"load bound", Align::kRight}});
  for (const Figures& f : all) {
    const double before = f.sequential.run.makespan_us;
    table.add_row({fmt::format("{:.0f}", f.npu_clock_mhz), fmt::format("{:.2f}", f.cpu_scale), format_ms(f.cpu_only_us),
                   format_ms(before), format_ms(f.enumerated.run.makespan_us),
                   format_gain(f.enumerated.run.makespan_us, before), format_ms(f.optimum.run.makespan_us),
                   format_gain(f.optimum.run.makespan_us, before), format_ms(f.split.run.makespan_us),
                   format_gain(f.split.run.makespan_us, before), format_ms(f.split.lower_bound_us),
                   format_ms(f.additive_bound_us) + " (" + format_gain(f.additive_bound_us, before) + ")",
                   format_ms(f.load_bound_us) + " (" + format_gain(f.load_bound_us, before) + ")"});
  }
  return table;
}

bool gains_by_sharing(const Figures& f) {
  constexpr double kRounding = 1e-9;
  return std::min(f.optimum.run.makespan_us, f.split.run.makespan_us) <
         std::max(f.additive_bound_us, f.load_bound_us) * (1 - kRounding);
}

void print(const std::vector<Figures>& all) {
  fmt::print("Latency in ms; gain relative to the best sequential placement of branches.\n\n{}",
             latency_table(all).to_string());
  const Figures& first = all.front();
  if (all.size() > 1) fmt::print("\nFor the first row:");
  fmt::print(
      "\n{} groups of branches; executed concurrently: {} by group enumeration, {} in the optimum, {} with splitting\n",
      first.groups_found, first.enumerated.groups, first.optimum.groups, first.split.groups);
  fmt::print("branches on the NPU, fully or partly: {} in the optimum, {} with splitting\n", first.optimum.npu_branches,
             first.split.npu_branches);
  if (std::ranges::any_of(all, gains_by_sharing))
    fmt::print(
        "operators that run concurrently on some of the cores, or parts of operators, take less than their share of "
        "the time on all cores; the additive bound and the load bound do not include this gain\n");
  if (!first.enumerated.is_complete)
    fmt::print("group enumeration stopped at its time limit: its latency may be too high; increase --budget-ms\n");
  fmt::print("with several inferences in flight: at most {:.1f} per second, with {} branches on the NPU\n",
             first.in_flight.per_second, first.in_flight.npu_branches);
}

// Returns the name of the branch's operator with the most work, the first one on a tie.
std::string name_of(const Plan& plan, uint32_t branch) {
  const plan::Tables& tables = plan.tables();
  const auto& operators = tables.branches[branch].operators;
  const auto work = [&](uint32_t op) { return statistics(tables, tables.operators[op]).macs; };
  const uint32_t largest = *std::ranges::max_element(operators, {}, work);
  const std::string name(tables.operators[largest].name);
  return operators.size() == 1 ? name : fmt::format("{} and {} more", name, operators.size() - 1);
}

// Returns "estimated" if a cost of a CPU step was not measured; empty for other units.
std::string describe_cost(const Plan& plan, const VirtualBoard& board, const Step& step, const UnitInfo& unit) {
  const auto& operators = plan.tables().branches[step.branch].operators;
  const bool any = unit.is_host && std::ranges::any_of(operators, [&](uint32_t op) {
                     return std::ranges::binary_search(board.estimated, op);
                   });
  return any ? "estimated" : "";
}

// Returns the threads of a step. A CPU step without a count uses all threads of the CPU.
int threads_of(const Step& step, const UnitInfo& unit) {
  return unit.is_host && step.threads == 0 ? unit.num_threads : step.threads;
}

Table step_table(const Plan& plan, const VirtualBoard& board, const Simulated& simulated) {
  Table table({{"start ms", Align::kRight},
               {"end ms", Align::kRight},
               {"unit"},
               {"threads", Align::kRight},
               {"branch"},
               {"channels"},
               {"cost"}});
  for (size_t i = 0; i < simulated.schedule.steps.size(); ++i) {
    const Step& step = simulated.schedule.steps[i];
    const UnitInfo& unit = board.units[simulated.schedule.lanes[step.lane].unit];
    const int threads = threads_of(step, unit);
    table.add_row({fmt::format("{:.3f}", simulated.run.spans[i].start_us / 1e3),
                   fmt::format("{:.3f}", simulated.run.spans[i].end_us / 1e3), unit.name,
                   threads > 0 ? fmt::format("{}", threads) : "", tools::printable(name_of(plan, step.branch)),
                   describe_channels(step.channels), describe_cost(plan, board, step, unit)});
  }
  return table;
}

// Adds the spans before a step on an idle lane: the wait for its inputs and their transfer.
void add_waits(tools::ChromeTrace& trace, uint32_t track, double free_us, const scheduler::StepSpan& span) {
  const double ready_us = std::clamp(span.ready_us, free_us, span.start_us);
  if (ready_us > free_us) trace.add({track, "wait", "wait", free_us, ready_us, nullptr});
  if (span.start_us > ready_us) trace.add({track, "transfer", "transfer", ready_us, span.start_us, nullptr});
}

tools::ChromeTrace trace_of(const Plan& plan, const VirtualBoard& board, const Simulated& simulated) {
  tools::ChromeTrace trace;
  std::vector<uint32_t> tracks;
  for (size_t lane = 0; lane < simulated.schedule.lanes.size(); ++lane) {
    const UnitInfo& unit = board.units[simulated.schedule.lanes[lane].unit];
    tracks.push_back(trace.add_track(unit.name, fmt::format("{} lane {}", unit.name, lane)));
  }
  std::vector<double> lane_end_us(tracks.size(), 0);
  for (size_t i = 0; i < simulated.schedule.steps.size(); ++i) {
    const Step& step = simulated.schedule.steps[i];
    const scheduler::StepSpan& span = simulated.run.spans[i];
    add_waits(trace, tracks[step.lane], lane_end_us[step.lane], span);
    lane_end_us[step.lane] = span.end_us;
    const int threads = threads_of(step, board.units[simulated.schedule.lanes[step.lane].unit]);
    Json details{{"branch", step.branch}, {"threads", threads}, {"ready_us", span.ready_us}};
    if (!step.channels.all()) details.set("channels", describe_channels(step.channels));
    trace.add({tracks[step.lane], name_of(plan, step.branch), "step", span.start_us, span.end_us, std::move(details)});
  }
  return trace;
}

// Returns the units that compute any slice of the operator.
std::string units_of_step(const Plan& plan, const VirtualBoard& board, const Simulated& simulated, uint32_t op) {
  std::set<std::string> units;
  for (const Step& step : simulated.schedule.steps)
    if (std::ranges::find(plan.tables().branches[step.branch].operators, op) !=
        plan.tables().branches[step.branch].operators.end())
      units.insert(board.units[simulated.schedule.lanes[step.lane].unit].name);
  return units.empty() ? "computes nothing" : fmt::format("{}", fmt::join(units, " + "));
}

std::vector<tools::PageBar> latency_bars(const Figures& f) {
  std::vector<tools::PageBar> bars;
  const auto add = [&](const char* name, double us, const char* group) { bars.push_back({name, us / 1e3, group, {}}); };
  add("CPU only", f.cpu_only_us, "schedule");
  add("sequential", f.sequential.run.makespan_us, "schedule");
  add("group enumeration", f.enumerated.run.makespan_us, "schedule");
  add("optimum of whole branches", f.optimum.run.makespan_us, "schedule");
  add("optimum with splitting", f.split.run.makespan_us, "schedule");
  add("lower bound", f.split.lower_bound_us, "bound");
  add("additive bound", f.additive_bound_us, "bound");
  add("load bound", f.load_bound_us, "bound");
  return bars;
}

tools::Page page_of(const std::vector<Figures>& all, const Plan& plan, const VirtualBoard& board,
                    const SimulateOptions& options) {
  const Simulated& split = all.front().split;
  tools::Page page("Schedules of " + tools::file_name(options.plan),
                   fmt::format("nestrt simulate, board {}, in virtual time", options.board));
  page.add_bars(
      "Latency", "ms", latency_bars(all.front()),
      fmt::format(
          "Latency of the schedules and its bounds{}. No schedule is faster than the lower bound; the other bounds "
          "assume that each operator uses all cores.",
          all.size() == 1 ? ""
                          : fmt::format(" (here and below for the first combination: {:.0f} MHz of the NPU "
                                        "and {:g} times the CPU's time)",
                                        all.front().npu_clock_mhz, all.front().cpu_scale)));
  page.add_timeline("The schedule that splits channels", trace_of(plan, board, split),
                    "Steps on their units, with waits and transfers.");
  page.add_table("Steps", step_table(plan, board, split));
  tools::add_operator_graph(
      page, "Operators", plan.tables(),
      [&](uint32_t op) {
        return tools::OperatorMark{units_of_step(plan, board, split, op), {}};
      },
      "Coloured by the units that compute them in this schedule.");
  page.add_table("Latency in ms and gain relative to the sequential placement", latency_table(all));
  return page;
}

Json to_json(const Figures& f) {
  return {{"npu_clock_mhz", f.npu_clock_mhz},
          {"cpu_scale", f.cpu_scale},
          {"cpu_only_ms", f.cpu_only_us / 1e3},
          {"sequential_ms", f.sequential.run.makespan_us / 1e3},
          {"group_enumeration_ms", f.enumerated.run.makespan_us / 1e3},
          {"optimum_ms", f.optimum.run.makespan_us / 1e3},
          {"split_ms", f.split.run.makespan_us / 1e3},
          {"lower_bound_ms", f.split.lower_bound_us / 1e3},
          {"additive_bound_ms", f.additive_bound_us / 1e3},
          {"load_bound_ms", f.load_bound_us / 1e3},
          {"groups_found", f.groups_found},
          {"group_enumeration_is_complete", f.enumerated.is_complete},
          {"groups_parallel", f.enumerated.groups},
          {"groups_parallel_optimum", f.optimum.groups},
          {"groups_parallel_split", f.split.groups},
          {"npu_branches_optimum", f.optimum.npu_branches},
          {"npu_branches_split", f.split.npu_branches},
          {"npu_branches_throughput", f.in_flight.npu_branches},
          {"max_per_second", f.in_flight.per_second}};
}

Json steps_to_json(const Plan& plan, const VirtualBoard& board, const Simulated& simulated) {
  Json steps = Json::array();
  for (size_t i = 0; i < simulated.schedule.steps.size(); ++i) {
    const Step& step = simulated.schedule.steps[i];
    const scheduler::StepSpan& span = simulated.run.spans[i];
    steps.push_back({{"branch", step.branch},
                     {"name", name_of(plan, step.branch)},
                     {"unit", board.units[simulated.schedule.lanes[step.lane].unit].name},
                     {"lane", step.lane},
                     {"threads", threads_of(step, board.units[simulated.schedule.lanes[step.lane].unit])},
                     {"channels", describe_channels(step.channels)},
                     {"alone_ms", step.predicted_us / 1e3},
                     {"ready_ms", span.ready_us / 1e3},
                     {"start_ms", span.start_us / 1e3},
                     {"end_ms", span.end_us / 1e3}});
  }
  return steps;
}

void print_estimated(const Plan& plan, const VirtualBoard& board, const std::string& path) {
  const std::vector<std::string> estimated = estimated_operators(plan, board);
  if (estimated.empty()) return;
  fmt::print("\n{}: {} of {} operators are not in a profile; their CPU costs are estimated (docs/reference/costs.md):",
             tools::printable(path), estimated.size(), plan.tables().operators.size());
  for (const std::string& name : estimated) fmt::print(" {}", tools::printable(name));
  fmt::print("\n");
}

// `steps` belong to the channel-splitting schedule of the first figures.
Json to_json(const std::vector<Figures>& all, Json steps, const SimulateOptions& options, const Plan& plan,
             const tools::Board& board, const std::vector<std::string>& estimated) {
  Json json = to_json(all.front());
  json.set("plan", options.plan);
  json.set("digest", plan.digest());
  json.set("board", board.name);
  json.set("estimated", Json::array(estimated));
  Json sensitivity = Json::array();
  for (const Figures& figures : all) sensitivity.push_back(to_json(figures));
  json.set("sensitivity", std::move(sensitivity));
  json.set("steps", std::move(steps));
  return json;
}

Status check_unit(tools::BoardUnit* unit) { return complete_unit(unit->kind, unit->configuration, unit->instances); }

double npu_clock(const tools::Board& board, const Plan& plan) {
  for (const tools::BoardUnit& unit : board.units)
    if (!unit.is_host) return unit.clock_mhz > 0 ? unit.clock_mhz : stated_clock_mhz(plan, unit.kind);
  return 0;
}

Status check_options(const SimulateOptions& options, const tools::Board& board) {
  const bool has_npu = std::ranges::any_of(board.units, [](const auto& unit) { return !unit.is_host; });
  if (has_npu || (options.clocks.empty() && options.changes.instances == 0)) return {};
  return Status(Code::kInvalidArgument,
                fmt::format("{}: expected a board with an NPU; '{}' has only a CPU",
                            options.clocks.empty() ? "--instances" : "--npu-clock", options.board));
}

// Maps the plan and the concurrent plans. Does not create their boards.
Result<std::vector<BoardPlan>> open_sessions(const SimulateOptions& options) {
  std::vector<BoardPlan> plans;
  std::vector<std::string> paths = options.concurrent_plans;
  paths.insert(paths.begin(), options.plan);
  for (const std::string& path : paths) {
    BoardPlan& added = plans.emplace_back();
    added.path = path;
    NESTRT_ASSIGN_OR_RETURN(added.plan, Plan::map(path, Verification::kComplete));
  }
  return plans;
}

// Adds the figures of the sessions to `json`.
Status simulate_sessions(const SimulateOptions& options, const tools::Board& board, const CostTable& profile,
                         std::vector<BoardPlan> plans, bool shown, Json& json) {
  for (BoardPlan& each : plans) {
    NESTRT_ASSIGN_OR_RETURN(each.board, make_virtual_board(*each.plan, board, profile, options.changes));
  }
  NESTRT_ASSIGN_OR_RETURN(const auto figures, simulate_concurrent_plans(plans, options.urgent, options.budget_ms));
  if (shown) {
    print(figures, plans, options.urgent);
    for (const BoardPlan& each : std::span(plans).subspan(1)) print_estimated(*each.plan, each.board, each.path);
  }
  json.set("concurrent", to_json(figures, plans));
  return options.placements.empty() ? Status() : write_placements(options.placements, figures.back(), plans);
}

// `shown`: also prints the figures.
Result<Json> simulate(const SimulateOptions& options, bool shown) {
  if (options.changes.memory_mb_per_s > 0 && options.changes.memory_mb_per_s < 1)
    return Status(Code::kInvalidArgument, "--memory: expected 0, or 1 to 1000000 MB/s");
  NESTRT_ASSIGN_OR_RETURN(const std::string path, tools::find_board(options.board));
  std::vector<std::string> inputs = options.profiles;
  inputs.insert(inputs.end(), options.concurrent_plans.begin(), options.concurrent_plans.end());
  inputs.push_back(options.plan);
  std::ranges::copy(tools::files_of_board(path), std::back_inserter(inputs));
  std::vector<std::string> outputs = {options.json, options.trace, options.html};
  for (size_t session = 0; session <= options.concurrent_plans.size() && !options.placements.empty(); ++session)
    outputs.push_back(placement_file(options.placements, session));
  NESTRT_RETURN_IF_ERROR(check_output_files(outputs, inputs));
  NESTRT_ASSIGN_OR_RETURN(std::vector<BoardPlan> sessions, open_sessions(options));
  NESTRT_ASSIGN_OR_RETURN(sessions.front().plan, tools::plan_of_shape(sessions.front().plan, options.shape));
  const std::shared_ptr<const Plan> plan = sessions.front().plan;
  NESTRT_ASSIGN_OR_RETURN(const tools::Board board, tools::read_board(path, check_unit));
  NESTRT_RETURN_IF_ERROR(check_options(options, board));
  NESTRT_ASSIGN_OR_RETURN(const CostTable profile, read_profiles(options, path, board));
  std::set<std::string> warned;  // a plan may be repeated
  for (const BoardPlan& session : sessions)
    if (warned.insert(session.path).second) warn_of_plan(*session.plan, session.path, profile, board);
  warn_of_other_processors(profile, board);
  std::vector<Figures> all;
  Json steps = Json::array();
  std::optional<VirtualBoard> first_board;
  for (const double clock : options.clocks.empty() ? std::vector{npu_clock(board, *plan)} : options.clocks) {
    for (const double scale : options.scales.empty() ? std::vector{1.0} : options.scales) {
      BoardOverrides changes = options.changes;
      changes.npu_clock_mhz = clock;
      changes.cpu_scale = scale;
      NESTRT_ASSIGN_OR_RETURN(const VirtualBoard units, make_virtual_board(*plan, board, profile, changes));
      NESTRT_ASSIGN_OR_RETURN(all.emplace_back(), figures_of(*plan, units, options.budget_ms));
      all.back().npu_clock_mhz = clock;
      all.back().cpu_scale = scale;
      if (all.size() > 1) continue;
      steps = steps_to_json(*plan, units, all.back().split);
      if (options.steps && shown) fmt::print("\n{}", step_table(*plan, units, all.back().split).to_string());
      if (!options.trace.empty())
        NESTRT_RETURN_IF_ERROR(tools::write_json(options.trace, trace_of(*plan, units, all.back().split).to_json()));
      first_board = units;
    }
  }
  if (!options.html.empty())
    NESTRT_RETURN_IF_ERROR(tools::write_page(options.html, page_of(all, *plan, *first_board, options)));
  if (shown) {
    print(all);
    print_estimated(*plan, *first_board, options.plan);
  }
  Json json = to_json(all, std::move(steps), options, *plan, board, estimated_operators(*plan, *first_board));
  if (!options.concurrent_plans.empty())
    NESTRT_RETURN_IF_ERROR(simulate_sessions(options, board, profile, std::move(sessions), shown, json));
  return json;
}

Result<ExitCode> run_simulate(const SimulateOptions& options) {
  NESTRT_ASSIGN_OR_RETURN(const Json json, simulate(options, true));
  if (!options.json.empty()) NESTRT_RETURN_IF_ERROR(tools::write_json(options.json, json));
  return ExitCode::kOk;
}

}  // namespace

Result<Json> simulate_figures(const SimulateOptions& options) { return simulate(options, false); }

void add_simulate(tools::Cli& cli) {
  auto options = std::make_shared<SimulateOptions>();
  tools::Command app =
      cli.add_command("simulate", "Predict the latency of a plan on a simulated board, for each scheduling method",
                      {"nestrt simulate model.nest --board zcu102",
                       "nestrt simulate model.nest --board zcu102 --npu-clock 100 200 333 --cpu-scale 0.5 1 2",
                       "nestrt simulate model.nest --board my/board.yaml --profile my/costs --steps",
                       "nestrt simulate model.nest --concurrent other.nest --urgent"},
                      [options] { return run_simulate(*options); });
  add_plan_argument(app, options->plan);
  tools::Option concurrent = app.add_option(
      "--concurrent", options->concurrent_plans,
      "plans of other sessions that run on the same units at the same time, at the board's own clock and "
      "speed; a plan may be repeated");
  concurrent.type_name("FILE");
  app.add_flag("--urgent", options->urgent, "the session of PLAN is urgent (with --concurrent)").needs(concurrent);
  app.add_option(
         "--placements", options->placements,
         "folder for the placements that balance all sessions together: 0.yaml, 1.yaml ... for nestrt run|bench "
         "--partition (with --concurrent)")
      .type_name("FOLDER")
      .not_empty()
      .needs(concurrent);
  tools::add_shape_option(app, options->shape, "simulate, counted from 1");
  app.add_option("--board", options->board, "a known board such as zcu102, or the path of a board file (.yaml)")
      .show_default();
  app.add_option("--profile", options->profiles,
                 "measured costs (nestrt profile, script/bench/profile-a53); default: those of the board file")
      .type_name("FILE");
  app.add_option("--npu-clock", options->clocks, "clock of the NPU in MHz; several values give a table")
      .between(1, tools::kMaxClockMhz)
      .excludes(concurrent);
  app.add_option("--cpu-scale", options->scales, "factor for all CPU times; several values give a table")
      .between(1e-3, 1e3)
      .excludes(concurrent);
  app.add_option("--transfer-scale", options->changes.transfer_scale,
                 "factor for the cost of transfers between units and of program launches (launch_us)")
      .between(0, 1e3)
      .show_default();
  app.add_option(
         "--memory", options->changes.memory_mb_per_s,
         "bandwidth in MB/s of the memory that concurrent units share, at least 1; 0: unlimited; default: the board's")
      .between(0, 1e6);
  app.add_option("--wait-scale", options->changes.wait_scale,
                 "factor for how long a waiting core polls (awake_us) and takes to wake (wake_us)")
      .between(0, 1e6)
      .show_default();
  app.add_option("--threads", options->changes.threads, "threads of the CPU; 0: as in the board file")
      .in_range(0, 1024);
  app.add_option("--instances", options->changes.instances, "instances of the NPU; 0: as in the board file")
      .in_range(0, 4);
  app.add_option("--budget-ms", options->budget_ms, "time limit in ms for each schedule search")
      .in_range(1, 600000)
      .show_default();
  app.add_flag("--steps", options->steps, "show the steps of the schedule that splits channels");
  app.add_option("--trace", options->trace, "file for the timeline of that schedule (ui.perfetto.dev)")
      .type_name("FILE")
      .not_empty();
  add_json_option(app, options->json, "the figures");
  tools::add_html_option(app, options->html);
}

}  // namespace nestrt::command
