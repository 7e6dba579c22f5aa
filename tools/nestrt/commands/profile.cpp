// SPDX-License-Identifier: Apache-2.0
// nestrt profile: measures the costs of a plan's operators on the units of this board.
#include <fmt/core.h>

#include <algorithm>
#include <map>

#include "nestrt/log.h"
#include "runtime/costs/cost_text.h"
#include "runtime/costs/measurement/measure_costs.h"
#include "runtime/plan/queries/channels.h"
#include "runtime/text/parse.h"
#include "tools/nestrt/commands.h"
#include "tools/nestrt/figures.h"
#include "tools/nestrt/figures/summaries.h"
#include "tools/nestrt/load.h"
#include "tools/support/board/machine_state.h"
#include "tools/support/nest_c/nest_c_profile.h"
#include "tools/support/page/page.h"
#include "tools/support/report/plan_shape.h"
#include "tools/support/text/files.h"
#include "tools/support/text/progress.h"

namespace nestrt::command {
namespace {

std::string describe_unit(const UnitKey& unit, const UnitList& units) {
  const bool is_host = std::any_of(units.begin(), units.end(), [&](const auto& candidate) {
    return candidate->info().is_host && candidate->info().kind == unit.kind;
  });
  return is_host ? fmt::format("{}, {} thread{}", unit.kind, unit.threads, unit.threads == 1 ? "" : "s") : unit.kind;
}

std::string format_us(double microseconds) { return fmt::format("{:.1f} us", microseconds); }

Table work_table(const MeasuredCosts& measured, const UnitList& units) {
  Table table({{"operator"},
               {"channels"},
               {"unit"},
               {"median", Align::kRight},
               {"+-", Align::kRight},
               {"quartiles", Align::kRight},
               {"runs", Align::kRight},
               {"outliers", Align::kRight}});
  for (const WorkTimes& work : measured.works)
    table.add_row({tools::printable(work.name), describe_channels(work.channels), describe_unit(work.unit, units),
                   format_us(work.median_us),
                   fmt::format("{:.1f} %", work.median_us > 0 ? 100 * work.error_us / work.median_us : 0),
                   format_us(work.first_quartile_us) + " to " + format_us(work.third_quartile_us),
                   fmt::format("{}", work.runs), fmt::format("{}", work.outliers)});
  return table;
}

Table overhead_table(const MeasuredCosts& measured, const UnitList& units) {
  Table overheads({{"unit"}, {"start", Align::kRight}, {"finish", Align::kRight}});
  for (const auto& [unit, overhead] : measured.costs.overheads())
    overheads.add_row({describe_unit(unit, units), format_us(overhead.start_us), format_us(overhead.finish_us)});
  return overheads;
}

tools::Page page_of(const MeasuredCosts& measured, const UnitList& units, const ProfileOptions& options) {
  tools::Page page("Costs of " + tools::file_name(options.plan),
                   fmt::format("nestrt profile, units {}", options.units.units));
  std::vector<tools::PageBar> bars;
  for (const WorkTimes& work : measured.works) {
    if (!work.channels.all()) continue;
    bars.push_back({work.name,
                    work.median_us,
                    describe_unit(work.unit, units),
                    {{"quartiles", format_us(work.first_quartile_us) + " to " + format_us(work.third_quartile_us)},
                     {"runs", fmt::format("{}", work.runs)}}});
  }
  page.add_bars("Time by operator and unit", "us", bars, "Medians of whole operators, in the order of the plan.");
  page.add_table("All measurements", work_table(measured, units));
  page.add_table("Cost of transfers", overhead_table(measured, units));
  return page;
}

Json to_json(const MeasuredCosts& measured, const ProfileOptions& options, const Plan& plan) {
  Json works = Json::array(), overheads = Json::array();
  for (const WorkTimes& work : measured.works)
    works.push_back({{"operator", work.name},
                     {"unit", work.unit.kind},
                     {"configuration", work.unit.configuration},
                     {"threads", work.unit.threads},
                     {"branch", work.branch},
                     {"first_channel", work.channels.begin},
                     {"end_channel", work.channels.end},
                     {"median_us", work.median_us},
                     {"error_us", work.error_us},
                     {"first_quartile_us", work.first_quartile_us},
                     {"third_quartile_us", work.third_quartile_us},
                     {"runs", work.runs},
                     {"outliers", work.outliers},
                     {"work", work.work}});
  for (const auto& [unit, overhead] : measured.costs.overheads())
    overheads.push_back({{"unit", unit.kind},
                         {"configuration", unit.configuration},
                         {"threads", unit.threads},
                         {"start_us", overhead.start_us},
                         {"finish_us", overhead.finish_us}});
  return {{"plan", options.plan}, {"digest", plan.digest()}, {"works", works}, {"overheads", overheads}};
}

// Returns clocks in MHz by kind of unit: the CPU's as the machine reports it, unless --clock specifies one.
Result<std::map<std::string, double>> clocks_of(const ProfileOptions& options, const UnitList& units) {
  std::map<std::string, double> clocks;
  for (const auto& unit : units)
    if (unit->info().is_host) clocks[unit->info().kind] = tools::read_machine_state().fastest_mhz;
  for (const std::string& text : options.clocks) {
    const size_t equals = std::min(text.find('='), text.size());
    const auto mhz = parse_number<double>(std::string_view(text).substr(std::min(equals + 1, text.size())));
    if (equals == 0 || !mhz || !(*mhz >= 1 && *mhz <= tools::kMaxClockMhz))
      return Status(Code::kInvalidArgument, fmt::format("--clock: expected UNIT=MHZ such as evta=200, got '{}'", text));
    const std::string kind = text.substr(0, equals);
    if (std::ranges::none_of(units, [&](const auto& unit) { return unit->info().kind == kind; }))
      return Status(Code::kInvalidArgument, fmt::format("--clock {}: no unit '{}' is measured", text, kind));
    clocks[kind] = *mhz;
  }
  return clocks;
}

Status import_profiles(const ProfileOptions& options, const Plan& plan, CostTable& costs) {
  for (const std::string& path : options.imports) {
    NESTRT_ASSIGN_OR_RETURN(const tools::NestCImport import,
                            tools::import_nest_c_profile(path, plan, options.configuration));
    costs.merge(import.costs);
    fmt::print("{}: {} of {} entries belong to this plan\n", path, import.used, import.entries);
    for (const std::string& line : import.refused) fmt::print("  {}\n", tools::printable(line));
  }
  return {};
}

Result<MeasuredCosts> measure(const std::shared_ptr<const Plan>& plan, const UnitList& units,
                              const ProfileOptions& options) {
  MeasureOptions settings = options.measure;
  settings.limit = std::chrono::milliseconds(static_cast<int64_t>(options.seconds * 1e3));
  std::unique_ptr<tools::Progress> bar;
  int64_t shown = 0;
  return measure_costs(plan, units, settings, [&](int64_t done, int64_t most) {
    if (bar == nullptr) bar = std::make_unique<tools::Progress>("inferences", most);
    bar->advance(done - std::exchange(shown, done));
  });
}

void warn_of_simulated_units(const UnitChoice& choice) {
  if (choice.pace > 0 || choice.units.find(":sim") == std::string::npos) return;
  log(LogLevel::kWarning,
      "the costs of a simulated accelerator are the times of its simulation on this machine; use them only for "
      "sessions with simulated units here. Do not pass them to nestrt simulate, which uses the plan's cycles");
}

// Fails if any unit cannot be measured, so that no unit has partial costs.
Result<MeasuredCosts> measure_all(const std::shared_ptr<const Plan>& plan, const UnitList& units,
                                  const ProfileOptions& options) {
  warn_of_simulated_units(options.units);
  NESTRT_ASSIGN_OR_RETURN(const auto clocks, clocks_of(options, units));
  NESTRT_ASSIGN_OR_RETURN(MeasuredCosts measured, measure(plan, units, options));
  for (const auto& [key, works] : measured.costs.units())
    if (const auto clock = clocks.find(key.kind); clock != clocks.end() && clock->second > 0)
      measured.costs.set_clock(key, clock->second);
  if (measured.failed.empty()) return measured;
  const FailedUnit& failed = measured.failed.front();
  return failed.why.with_context(fmt::format("unit '{}' cannot be measured", units[failed.unit]->info().name));
}

Status write(const ProfileOptions& options, const CostTable& costs) {
  if (options.output.empty()) return {};
  NESTRT_ASSIGN_OR_RETURN(const std::string text, format_costs(costs));
  return tools::write_text(options.output, text);
}

Result<ExitCode> profile(const ProfileOptions& options) {
  std::vector<std::string> inputs = options.imports;
  inputs.push_back(options.plan);
  NESTRT_RETURN_IF_ERROR(check_output_files({options.output, options.json, options.html}, inputs));
  NESTRT_RETURN_IF_ERROR(tools::check_kind(options.output, tools::Written::kCosts));
  NESTRT_ASSIGN_OR_RETURN(const auto whole, Plan::map(options.plan, Verification::kComplete));
  NESTRT_ASSIGN_OR_RETURN(const auto plan, tools::plan_of_shape(whole, options.units.shape));
  if (!options.imports.empty()) {
    CostTable costs;
    NESTRT_RETURN_IF_ERROR(import_profiles(options, *plan, costs));
    NESTRT_RETURN_IF_ERROR(write(options, costs));
    return ExitCode::kOk;
  }
  NESTRT_ASSIGN_OR_RETURN(const UnitList units, options.units.open(*plan));
  NESTRT_ASSIGN_OR_RETURN(const MeasuredCosts measured, measure_all(plan, units, options));
  // Writes the costs before it prints the table, because the reader of the table may close the pipe.
  NESTRT_RETURN_IF_ERROR(write(options, measured.costs));
  fmt::print("{}\n{}", work_table(measured, units).to_string(), overhead_table(measured, units).to_string());
  if (!options.html.empty()) NESTRT_RETURN_IF_ERROR(tools::write_page(options.html, page_of(measured, units, options)));
  if (!options.json.empty()) NESTRT_RETURN_IF_ERROR(tools::write_json(options.json, to_json(measured, options, *plan)));
  return ExitCode::kOk;
}

}  // namespace

Result<Json> profile_figures(const ProfileOptions& options) {
  NESTRT_RETURN_IF_ERROR(check_output_files({options.output}, {options.plan}));
  NESTRT_RETURN_IF_ERROR(tools::check_kind(options.output, tools::Written::kCosts));
  NESTRT_ASSIGN_OR_RETURN(const auto whole, Plan::map(options.plan, Verification::kComplete));
  NESTRT_ASSIGN_OR_RETURN(const auto plan, tools::plan_of_shape(whole, options.units.shape));
  NESTRT_ASSIGN_OR_RETURN(const UnitList units, options.units.open(*plan));
  NESTRT_ASSIGN_OR_RETURN(const MeasuredCosts measured, measure_all(plan, units, options));
  NESTRT_RETURN_IF_ERROR(write(options, measured.costs));
  return to_json(measured, options, *plan);
}

void add_profile(tools::Cli& cli) {
  auto options = std::make_shared<ProfileOptions>();
  tools::Command app = cli.add_command("profile", "Measure the cost of each operator on each unit, for scheduling",
                                       {"nestrt profile model.nest -o costs --units cpu,evta",
                                        "nestrt profile model.nest -o costs --import nest-c.yaml"},
                                       [options] { return profile(*options); });
  add_plan_argument(app, options->plan);
  add_unit_options(app, options->units);
  app.add_option("-o,--output", options->output, "cost file to write").type_name("FILE").not_empty();
  app.add_option("--count", options->measure.threads, "thread counts to measure; default: 1, 2, 4 ... and all")
      .in_range(1, 256);
  app.add_option("--precision", options->measure.precision,
                 "stop when half the 95 % confidence interval of every median is at most this fraction of it")
      .between(1e-4, 1)
      .show_default();
  app.add_option("--max-runs", options->measure.max_runs, "maximum number of inferences per configuration of the plan")
      .in_range(1, 1000000)
      .show_default();
  app.add_option("--max-seconds", options->seconds, "maximum time in seconds per configuration of the plan")
      .between(0, 1e6)
      .show_default();
  app.add_option(
         "--clock", options->clocks,
         "clock of a unit to record in the costs, for nestrt simulate; default: the CPU clock that Linux reports")
      .type_name("UNIT=MHZ");
  app.add_option("--import", options->imports,
                 "import costs from a NEST-C profile instead of measuring; may be repeated")
      .type_name("FILE");
  app.add_option("--configuration", options->configuration,
                 "configuration of the CPU that an imported profile belongs to")
      .show_default();
  add_json_option(app, options->json, "all measurements");
  tools::add_html_option(app, options->html);
}

}  // namespace nestrt::command
