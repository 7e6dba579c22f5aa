// nestrt simulate: the schedules of a plan on a board that is only described, in virtual time.
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
#include "tools/nestrt/load.h"
#include "tools/nestrt/simulation/side_by_side.h"
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

using Options = SimulateOptions;

// What several inferences in flight reach.
struct InFlight {
  double per_second = 0;  // at most
  uint32_t npu_branches = 0;

  void take(const InFlight& other) {
    if (other.per_second > per_second) *this = other;
  }
};

struct Figures {
  double npu_clock_mhz = 0;
  double cpu_scale = 1;
  double cpu_only_us = 0;
  Simulated sequential, paper, optimum, split;
  InFlight in_flight;
  double additive_bound_us = 0;
  double load_bound_us = 0;
  size_t groups_found = 0;
};

// The busiest unit is never idle, its thread hands over what it reads and writes, nor is the memory while several work:
// one that works alone does not run short, so that one inference after the other may do more.
Result<InFlight> in_flight(const scheduler::Problem& problem, const Schedule& schedule, double latency_us) {
  NESTRT_ASSIGN_OR_RETURN(const scheduler::Loads loads, scheduler::loads_of(problem, schedule));
  double busiest_us = 0;
  for (size_t unit = 0; unit < loads.units_us.size(); ++unit)
    busiest_us = std::max(busiest_us, loads.units_us[unit] + loads.hand_over_us[unit]);
  const double one_by_one_us = std::accumulate(loads.units_us.begin(), loads.units_us.end(), 0.0);
  const double memory_us = problem.memory_mb_per_s > 0 ? loads.bytes / problem.memory_mb_per_s : 0;
  const double least_us = std::min(latency_us, std::max(busiest_us, std::min(memory_us, one_by_one_us)));
  return InFlight{least_us > 0 ? 1e6 / least_us : 0, count_npu_branches(problem, schedule)};
}

// Of the schedules that keep the busiest unit's work short, with all units beside the CPU and with fewer of them, the
// one that does most: what handing over and the memory cost is charged to what was found.
Result<InFlight> in_flight(const scheduler::Problem& problem, double latency_us, std::chrono::milliseconds budget) {
  const scheduler::Solved all = scheduler::solve(problem, ScheduleMethod::kThroughput, budget);
  NESTRT_ASSIGN_OR_RETURN(InFlight most, in_flight(problem, scheduler::to_schedule(problem, all.solution), latency_us));
  const auto beside = std::ranges::count(problem.units, false, &scheduler::ProblemUnit::is_host);
  for (auto count = beside - 1; count > 0; --count) {
    const scheduler::Restriction fewer = scheduler::with_fewer_units(problem, static_cast<size_t>(count));
    scheduler::Solved solved = scheduler::solve(fewer.problem(), ScheduleMethod::kThroughput, budget);
    const scheduler::Solution solution = fewer.to_original(std::move(solved.solution));
    NESTRT_ASSIGN_OR_RETURN(const InFlight found,
                            in_flight(problem, scheduler::to_schedule(problem, solution), latency_us));
    most.take(found);
  }
  return most;
}

Result<double> cpu_only_us(const Plan& plan, const VirtualBoard& board, int budget_ms) {
  NESTRT_ASSIGN_OR_RETURN(const auto problem,
                          scheduler::make_problem(plan, std::span(&board.units.back(), 1), board.costs,
                                                  {.split_channels = false, .share_cores = false}));
  NESTRT_ASSIGN_OR_RETURN(const Simulated alone, simulate(problem, ScheduleMethod::kSequential, budget_ms));
  return alone.run.makespan_us;
}

// Parallel groups among the plan's operators: a fork may be one that computes nothing, as a concatenation in place.
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
  NESTRT_ASSIGN_OR_RETURN(figures.paper, simulate(whole, ScheduleMethod::kPaper, budget_ms));
  NESTRT_ASSIGN_OR_RETURN(const scheduler::Problem shared, problem_with(false, true));
  NESTRT_ASSIGN_OR_RETURN(figures.optimum, simulate(shared, ScheduleMethod::kOptimum, budget_ms));
  NESTRT_ASSIGN_OR_RETURN(const scheduler::Problem divided, problem_with(true, true));
  NESTRT_ASSIGN_OR_RETURN(figures.split, simulate(divided, ScheduleMethod::kOptimum, budget_ms));
  NESTRT_RETURN_IF_ERROR(take_shorter(shared, figures.paper, figures.optimum));
  NESTRT_RETURN_IF_ERROR(take_shorter(divided, figures.optimum, figures.split));
  const double latency_us = std::min({figures.cpu_only_us, figures.sequential.run.makespan_us,
                                      figures.optimum.run.makespan_us, figures.split.run.makespan_us});
  NESTRT_ASSIGN_OR_RETURN(figures.in_flight, in_flight(whole, latency_us, std::chrono::milliseconds(budget_ms)));
  // Short schedules are candidates, too; of the shortest cores may be shared.
  for (const auto& [problem, schedule] :
       {std::pair(&whole, &figures.sequential.schedule), std::pair(&shared, &figures.optimum.schedule)}) {
    NESTRT_ASSIGN_OR_RETURN(const InFlight found, in_flight(*problem, *schedule, latency_us));
    figures.in_flight.take(found);
  }
  figures.additive_bound_us = scheduler::additive_bound_us(whole);
  figures.load_bound_us = scheduler::load_bound_us(whole);
  figures.groups_found = count_groups(plan.tables());
  return figures;
}

// Those that are asked for, or those that the board's file names.
Result<CostTable> read_profiles(const Options& options, const std::string& board_path, const tools::Board& board) {
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
               {"paper", Align::kRight},
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
                   format_ms(before), format_ms(f.paper.run.makespan_us), format_gain(f.paper.run.makespan_us, before),
                   format_ms(f.optimum.run.makespan_us), format_gain(f.optimum.run.makespan_us, before),
                   format_ms(f.split.run.makespan_us), format_gain(f.split.run.makespan_us, before),
                   format_ms(f.split.lower_bound_us),
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
  fmt::print("Latency in ms; gains over the best placement of branches one after the other.\n\n{}",
             latency_table(all).to_string());
  const Figures& first = all.front();
  if (all.size() > 1) fmt::print("\nOf the first row:");
  fmt::print(
      "\n{} groups of branches; side by side: {} with the paper's method, {} in the optimum, {} with splitting\n",
      first.groups_found, first.paper.groups, first.optimum.groups, first.split.groups);
  fmt::print("branches on the NPU: {} in the optimum, {} with splitting, whole or in part\n",
             first.optimum.npu_branches, first.split.npu_branches);
  if (std::ranges::any_of(all, gains_by_sharing))
    fmt::print(
        "operators side by side on some of the cores, or parts of them, take less than their share of what the whole "
        "takes on all: of that the additive and the load bound know nothing\n");
  if (!first.paper.is_complete)
    fmt::print("the paper's method was cut short: \"paper\" may be too long; give it more time by --budget-ms\n");
  fmt::print("several inferences in flight: at most {:.1f} a second, with {} branches on the NPU\n",
             first.in_flight.per_second, first.in_flight.npu_branches);
}

// A branch is called after its operator with the most work, the first of equals.
std::string name_of(const Plan& plan, uint32_t branch) {
  const plan::Tables& tables = plan.tables();
  const auto& operators = tables.branches[branch].operators;
  const auto work = [&](uint32_t op) { return statistics(tables, tables.operators[op]).macs; };
  const uint32_t largest = *std::ranges::max_element(operators, {}, work);
  const std::string name(tables.operators[largest].name);
  return operators.size() == 1 ? name : fmt::format("{} and {} more", name, operators.size() - 1);
}

std::string describe(ChannelRange channels) { return channels.all() ? "" : to_string(channels); }

// What is not measured of a step: nothing where its unit is no CPU.
std::string describe_cost(const Plan& plan, const VirtualBoard& board, const Step& step, const UnitInfo& unit) {
  const auto& operators = plan.tables().branches[step.branch].operators;
  const bool any = unit.is_host && std::ranges::any_of(operators, [&](uint32_t op) {
                     return std::ranges::binary_search(board.estimated, op);
                   });
  return any ? "estimated" : "";
}

// All of a CPU's where the step does not say.
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
                   describe(step.channels), describe_cost(plan, board, step, unit)});
  }
  return table;
}

// Before a step, on a lane that was free: until what it reads has been computed, and until it has been handed over.
void add_waits(tools::ChromeTrace& trace, uint32_t track, double free_us, const scheduler::StepSpan& span) {
  const double ready_us = std::clamp(span.ready_us, free_us, span.start_us);
  if (ready_us > free_us) trace.add({track, "wait", "wait", free_us, ready_us, nullptr});
  if (span.start_us > ready_us) trace.add({track, "hand over", "transfer", ready_us, span.start_us, nullptr});
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
    if (!step.channels.all()) details.set("channels", describe(step.channels));
    trace.add({tracks[step.lane], name_of(plan, step.branch), "step", span.start_us, span.end_us, std::move(details)});
  }
  return trace;
}

// The units that compute any of the operator.
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
  add("the paper's method", f.paper.run.makespan_us, "schedule");
  add("optimum of whole branches", f.optimum.run.makespan_us, "schedule");
  add("optimum with splitting", f.split.run.makespan_us, "schedule");
  add("lower bound", f.split.lower_bound_us, "bound");
  add("additive bound", f.additive_bound_us, "bound");
  add("load bound", f.load_bound_us, "bound");
  return bars;
}

tools::Page page_of(const std::vector<Figures>& all, const Plan& plan, const VirtualBoard& board,
                    const Options& options) {
  const Simulated& split = all.front().split;
  tools::Page page("Schedules of " + tools::file_name(options.plan),
                   fmt::format("nestrt simulate, board {}, in virtual time", options.board));
  page.add_bars(
      "Latency", "ms", latency_bars(all.front()),
      fmt::format("What the schedules take, and what they could{}: no schedule undercuts the lower bound; the others "
                  "are of operators that have all of the cores.",
                  all.size() == 1 ? ""
                                  : fmt::format(" (here and below at {:.0f} MHz of the NPU and {:g} times the "
                                                "CPU's time, the first of those asked for)",
                                                all.front().npu_clock_mhz, all.front().cpu_scale)));
  page.add_timeline("The schedule that splits channels", trace_of(plan, board, split),
                    "Steps on their units, what they wait for, and what handing over to them takes.");
  page.add_table("Steps", step_table(plan, board, split));
  tools::add_operator_graph(
      page, "Operators", plan.tables(),
      [&](uint32_t op) {
        return tools::OperatorMark{units_of_step(plan, board, split, op), {}};
      },
      "By the units that compute them in that schedule.");
  page.add_table("Latency in ms, and gains over the sequential placement", latency_table(all));
  return page;
}

Json to_json(const Figures& f) {
  return {{"npu_clock_mhz", f.npu_clock_mhz},
          {"cpu_scale", f.cpu_scale},
          {"cpu_only_ms", f.cpu_only_us / 1e3},
          {"sequential_ms", f.sequential.run.makespan_us / 1e3},
          {"paper_ms", f.paper.run.makespan_us / 1e3},
          {"optimum_ms", f.optimum.run.makespan_us / 1e3},
          {"split_ms", f.split.run.makespan_us / 1e3},
          {"lower_bound_ms", f.split.lower_bound_us / 1e3},
          {"additive_bound_ms", f.additive_bound_us / 1e3},
          {"load_bound_ms", f.load_bound_us / 1e3},
          {"groups_found", f.groups_found},
          {"paper_is_complete", f.paper.is_complete},
          {"groups_parallel", f.paper.groups},
          {"groups_parallel_optimum", f.optimum.groups},
          {"groups_parallel_split", f.split.groups},
          {"npu_branches_optimum", f.optimum.npu_branches},
          {"npu_branches_split", f.split.npu_branches},
          {"npu_branches_throughput", f.in_flight.npu_branches},
          {"most_per_second", f.in_flight.per_second}};
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
                     {"channels", describe(step.channels)},
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
  fmt::print("\n{}: {} of {} operators are in no profile; their costs on the CPU are estimated (docs/profiles.md):",
             tools::printable(path), estimated.size(), plan.tables().operators.size());
  for (const std::string& name : estimated) fmt::print(" {}", tools::printable(name));
  fmt::print("\n");
}

// `steps`: of the schedule that splits channels, of the first of the figures.
Json to_json(const std::vector<Figures>& all, Json steps, const Options& options, const Plan& plan,
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

Status check_options(const Options& options, const tools::Board& board) {
  const bool has_npu = std::ranges::any_of(board.units, [](const auto& unit) { return !unit.is_host; });
  if (has_npu || (options.clocks.empty() && options.changes.instances == 0)) return {};
  return Status(Code::kInvalidArgument,
                fmt::format("{}: expected a board with an NPU; '{}' has a CPU alone",
                            options.clocks.empty() ? "--instances" : "--npu-clock", options.board));
}

// Sessions of the plan and of those beside it; their boards are not made yet.
Result<std::vector<BoardPlan>> open_sessions(const Options& options) {
  std::vector<BoardPlan> plans;
  std::vector<std::string> paths = options.beside;
  paths.insert(paths.begin(), options.plan);
  for (const std::string& path : paths) {
    BoardPlan& added = plans.emplace_back();
    added.path = path;
    NESTRT_ASSIGN_OR_RETURN(added.plan, Plan::map(path, Verification::kComplete));
  }
  return plans;
}

// The figures then have those of the sessions.
Status simulate_sessions(const Options& options, const tools::Board& board, const CostTable& profile,
                         std::vector<BoardPlan> plans, bool shown, Json& json) {
  for (BoardPlan& each : plans) {
    NESTRT_ASSIGN_OR_RETURN(each.board, make_virtual_board(*each.plan, board, profile, options.changes));
  }
  NESTRT_ASSIGN_OR_RETURN(const auto figures, side_by_side_figures(plans, options.urgent, options.budget_ms));
  if (shown) {
    print(figures, plans, options.urgent);
    for (const BoardPlan& each : std::span(plans).subspan(1)) print_estimated(*each.plan, each.board, each.path);
  }
  json.set("side_by_side", to_json(figures, plans));
  return options.placements.empty() ? Status() : write_placements(options.placements, figures.back(), plans);
}

// `shown`: printed too.
Result<Json> simulate(const Options& options, bool shown) {
  if (options.changes.memory_mb_per_s > 0 && options.changes.memory_mb_per_s < 1)
    return Status(Code::kInvalidArgument, "--memory: expected 0, or 1 to 1000000 MB/s, as a board's file");
  NESTRT_ASSIGN_OR_RETURN(const std::string path, tools::find_board(options.board));
  std::vector<std::string> inputs = options.profiles;
  inputs.insert(inputs.end(), options.beside.begin(), options.beside.end());
  inputs.push_back(options.plan);
  std::ranges::copy(tools::files_of_board(path), std::back_inserter(inputs));
  std::vector<std::string> outputs = {options.json, options.trace, options.html};
  for (size_t session = 0; session <= options.beside.size() && !options.placements.empty(); ++session)
    outputs.push_back(placement_file(options.placements, session));
  NESTRT_RETURN_IF_ERROR(check_output_files(outputs, inputs));
  NESTRT_ASSIGN_OR_RETURN(std::vector<BoardPlan> sessions, open_sessions(options));
  NESTRT_ASSIGN_OR_RETURN(sessions.front().plan, tools::plan_of_shape(sessions.front().plan, options.shape));
  const std::shared_ptr<const Plan> plan = sessions.front().plan;
  NESTRT_ASSIGN_OR_RETURN(const tools::Board board, tools::read_board(path, check_unit));
  NESTRT_RETURN_IF_ERROR(check_options(options, board));
  NESTRT_ASSIGN_OR_RETURN(const CostTable profile, read_profiles(options, path, board));
  std::set<std::string> warned;  // the same plan may be there several times
  for (const BoardPlan& session : sessions)
    if (warned.insert(session.path).second) warn_of_plan(*session.plan, session.path, profile, board);
  warn_of_other_processors(profile, board);
  std::vector<Figures> all;
  Json steps = Json::array();
  std::optional<VirtualBoard> first_board;
  for (const double clock : options.clocks.empty() ? std::vector{npu_clock(board, *plan)} : options.clocks) {
    for (const double scale : options.scales.empty() ? std::vector{1.0} : options.scales) {
      BoardChanges changes = options.changes;
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
  if (!options.beside.empty())
    NESTRT_RETURN_IF_ERROR(simulate_sessions(options, board, profile, std::move(sessions), shown, json));
  return json;
}

Result<ExitCode> run_simulate(const Options& options) {
  NESTRT_ASSIGN_OR_RETURN(const Json json, simulate(options, true));
  if (!options.json.empty()) NESTRT_RETURN_IF_ERROR(tools::write_json(options.json, json));
  return ExitCode::kOk;
}

}  // namespace

Result<Json> simulate_figures(const SimulateOptions& options) { return simulate(options, false); }

void add_simulate(tools::Cli& cli) {
  auto options = std::make_shared<Options>();
  tools::Command app =
      cli.add_command("simulate", "Predicts the latency of a plan on a described board, by way of scheduling.",
                      {"nestrt simulate model.nest --board zcu102",
                       "nestrt simulate model.nest --board zcu102 --npu-clock 100 200 333 --cpu-scale 0.5 1 2",
                       "nestrt simulate model.nest --board my/board.yaml --profile my/costs --steps",
                       "nestrt simulate model.nest --beside other.nest --urgent"},
                      [options] { return run_simulate(*options); });
  add_plan_argument(app, options->plan);
  tools::Option beside =
      app.add_option("--beside", options->beside,
                     "plans of other sessions on the same units, at the board's own clock and speed; one plan may come "
                     "several times");
  beside.type_name("FILE");
  app.add_flag("--urgent", options->urgent, "the first plan's session is urgent (--beside)").needs(beside);
  app.add_option("--placements", options->placements,
                 "folder for the placements that balance all sessions together, 0.yaml and so on (--beside; nestrt "
                 "run|bench --partition)")
      .type_name("FOLDER")
      .not_empty()
      .needs(beside);
  tools::add_shape_option(app, options->shape, "look at, counted from 1");
  app.add_option("--board", options->board, "a board (zcu102, or the path of its .yaml)").show_default();
  app.add_option("--profile", options->profiles,
                 "costs (nestrt profile, script/bench/profile-a53); default: the board's")
      .type_name("FILE");
  app.add_option("--npu-clock", options->clocks, "MHz; several for a table")
      .between(1, tools::kMaxClockMhz)
      .excludes(beside);
  app.add_option("--cpu-scale", options->scales, "factor of the CPU's times; several for a table")
      .between(1e-3, 1e3)
      .excludes(beside);
  app.add_option("--hand-over", options->changes.hand_over_scale,
                 "factor of what handing over between units costs, launches of programs (launch_us) included")
      .between(0, 1e3)
      .show_default();
  app.add_option("--memory", options->changes.memory_mb_per_s,
                 "MB/s of the memory that units share while several work, at least 1; 0: never short")
      .between(0, 1e6);
  app.add_option("--waiting", options->changes.waiting_scale,
                 "factor of how long a core looks without sleeping, and takes to wake")
      .between(0, 1e6)
      .show_default();
  app.add_option("--threads", options->changes.threads, "of the CPU; 0: the board's").in_range(0, 1024);
  app.add_option("--instances", options->changes.instances, "of the NPU; 0: the board's").in_range(0, 4);
  app.add_option("--budget-ms", options->budget_ms, "time for each search of a schedule")
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
