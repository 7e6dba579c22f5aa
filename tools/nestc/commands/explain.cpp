// SPDX-License-Identifier: Apache-2.0
// nestc explain: shows how each operator of a model is computed and why in f32, and for each unit the operator's cost
// or why it cannot run there.
#include <fmt/core.h>

#include <algorithm>
#include <functional>
#include <map>

#include "compiler-lite/compile.h"
#include "compiler-lite/quantize/kept_reasons.h"
#include "compiler-lite/quantize/profile.h"
#include "runtime/plan/queries/channels.h"
#include "runtime/plan/queries/statistics.h"
#include "runtime/plan/queries/views.h"
#include "tools/nestc/command.h"
#include "tools/nestc/explain_plan.h"
#include "tools/nestc/options/compile_options.h"
#include "tools/nestc/options/quantize_options.h"
#include "tools/nestc/plan_file.h"
#include "tools/nestc/report_files.h"
#include "tools/nestc/tuning_progress.h"
#include "tools/support/image/preprocessing_warnings.h"
#include "tools/support/page/page.h"
#include "tools/support/page/plan_figures.h"
#include "tools/support/text/cli.h"
#include "tools/support/text/files.h"
#include "tools/support/text/json.h"
#include "tools/support/text/progress.h"
#include "tools/support/text/table.h"

namespace nestrt::compiler {
namespace {

struct ExplainCommand {
  CompileFlags flags;
  QuantizeFlags quantize_flags;
  std::string model;
  std::string json;
  std::string html;

  Status run() const;

 private:
  Status run_on_plan() const;
};

// The results of one unit for all operators.
struct Explanation {
  std::string unit;
  std::vector<Offer> offers;  // by operator; without their segments
};

struct Compiled {
  PlanBytes bytes;
  std::vector<Explanation> units;
  std::map<std::string, std::string> kept;  // the quantizer's reasons for f32, by operator
};

struct Total {
  size_t operators = 0;
  uint64_t macs = 0;
  uint64_t cycles = 0;
  uint64_t moved_bytes = 0;
  double busy_cycles = 0;
  double microseconds = 0;
  size_t divided = 0;  // operators that are split into partial programs
  size_t num_partial = 0;

  void add_partial_programs(const Offer& offer) {
    divided += offer.partial_programs.empty() ? 0 : 1;
    num_partial += offer.partial_programs.size();
  }

  void add_operator(uint64_t operator_macs) {
    ++operators;
    macs += operator_macs;
  }

  void add(const UnitProgram& program, uint64_t operator_macs) {
    add_operator(operator_macs);
    cycles += program.cycles;
    moved_bytes += program.moved_bytes;
    busy_cycles += program.occupancy * static_cast<double>(program.cycles);
    microseconds += program.microseconds;
  }
};

double ratio(double part, double whole) { return whole == 0 ? 0 : part / whole; }

void record(const Backend& backend, const Offer& offer, std::vector<Explanation>& units) {
  const std::string unit = backend.unit() + " " + backend.program_configuration();
  auto found = std::find_if(units.begin(), units.end(), [&](const Explanation& known) { return known.unit == unit; });
  if (found == units.end()) found = units.insert(units.end(), {unit, {}});
  found->offers.push_back(offer);
  if (found->offers.back().program) found->offers.back().program->segments.clear();
  for (UnitProgram& program : found->offers.back().partial_programs) program.segments.clear();
}

Result<Compiled> compile_all(const ExplainCommand& command) {
  NESTRT_RETURN_IF_ERROR(command.flags.require_one_shape("explain"));
  NESTRT_ASSIGN_OR_RETURN(CompileOptions options, command.flags.options());
  NESTRT_ASSIGN_OR_RETURN(options.quantization, command.quantize_flags.quantization(command.model, options));
  tools::StageLine line("nestc");
  options.progress = [&line](std::string_view stage) { line.show(stage); };
  std::vector<Explanation> units;
  std::map<std::string, std::string> kept;
  if (options.quantization)
    options.quantization->observer = [&](const QuantizationReport& report) { kept = kept_reasons(report); };
  TuningProgress tuning(options.backends.size() - 1);
  options.offer_observer = [&](uint32_t, uint32_t num_operators, const Backend& backend, const Offer& offer) {
    tuning.advance(num_operators);
    record(backend, offer, units);
  };
  NESTRT_ASSIGN_OR_RETURN(PlanBytes bytes, compile(command.model, options));
  return Compiled{std::move(bytes), std::move(units), std::move(kept)};
}

std::string kilo(uint64_t count) { return fmt::format("{:.1f}", static_cast<double>(count) / 1e3); }
std::string percent(double part) { return fmt::format("{:.1f}%", part * 100); }

std::vector<std::string> figures(const UnitProgram& program, uint64_t macs) {
  return {kilo(program.cycles), percent(program.occupancy), kilo(program.moved_bytes),
          fmt::format("{:.1f}", ratio(static_cast<double>(macs), static_cast<double>(program.moved_bytes))), ""};
}

// Returns one row per operator. `total` counts the operators that the unit supports, `all` those that compute.
tools::Table operator_table(const plan::Tables& tables, const Explanation& unit, Total& total, Total& all) {
  using enum tools::Align;
  tools::Table table({{"#", kRight},
                      {"operator"},
                      {"kind"},
                      {"MMAC", kRight},
                      {"kcycles", kRight},
                      {"occupancy", kRight},
                      {"moved KB", kRight},
                      {"MAC/B", kRight},
                      {"stays on the CPU because"}});
  for (uint32_t i = 0; i < unit.offers.size(); ++i) {
    const plan::Operator& op = tables.operators[i];
    const Offer& offer = unit.offers[i];
    const uint64_t macs = statistics(tables, op).macs;
    const bool view = is_view(tables, op);
    std::vector<std::string> cells{std::to_string(i), tools::printable(op.name), std::string(ops::name(op.kind())),
                                   macs == 0 ? "" : fmt::format("{:.2f}", static_cast<double>(macs) / 1e6)};
    const std::vector<std::string> more =
        offer.program ? figures(*offer.program, macs)
                      : std::vector<std::string>{"", "", "", "", view ? "computes nothing: a view" : offer.reason};
    cells.insert(cells.end(), more.begin(), more.end());
    table.add_row(std::move(cells));
    if (!view) all.add_operator(macs);
    if (offer.program) total.add(*offer.program, macs);
    total.add_partial_programs(offer);
  }
  return table;
}

void print(const plan::Tables& tables, const Explanation& unit) {
  Total total, all;
  fmt::print("{}", operator_table(tables, unit, total, all).to_string());
  fmt::print(
      "\n{}: {} of {} operators that compute, {} of the multiplications; {} kcycles{}, the multipliers are busy in {} "
      "of them, {} KB moved\n",
      unit.unit, total.operators, all.operators,
      percent(ratio(static_cast<double>(total.macs), static_cast<double>(all.macs))), kilo(total.cycles),
      total.microseconds > 0 ? fmt::format(" ({:.2f} ms)", total.microseconds / 1e3) : "",
      percent(ratio(total.busy_cycles, static_cast<double>(total.cycles))), kilo(total.moved_bytes));
  fmt::print("{} of them can be shared with the CPU: {} programs for a part of their output channels\n", total.divided,
             total.num_partial);
}

tools::Json to_json(const std::vector<UnitProgram>& programs) {
  tools::Json list = tools::Json::array();
  for (const UnitProgram& program : programs)
    list.push_back({{"channels", to_string(program.channels)}, {"cycles", program.cycles}});
  return list;
}

tools::Json to_json(const plan::Tables& tables, const Explanation& unit) {
  tools::Json operators = tools::Json::array();
  for (uint32_t i = 0; i < unit.offers.size(); ++i) {
    const plan::Operator& op = tables.operators[i];
    tools::Json entry{{"name", op.name}, {"kind", ops::name(op.kind())}, {"macs", statistics(tables, op).macs}};
    if (const auto& program = unit.offers[i].program) {
      entry.set("cycles", program->cycles);
      entry.set("occupancy", program->occupancy);
      entry.set("moved_bytes", program->moved_bytes);
      entry.set("microseconds", program->microseconds);
      entry.set("partial_programs", to_json(unit.offers[i].partial_programs));
    } else {
      entry.set("reason", is_view(tables, op) ? "computes nothing: a view" : unit.offers[i].reason);
    }
    operators.push_back(std::move(entry));
  }
  return {{"unit", unit.unit}, {"operators", operators}};
}

// Returns the multiply-accumulates that the unit cannot run, by reason.
std::vector<tools::PageBar> reason_bars(const plan::Tables& tables, const Explanation& unit) {
  std::map<std::string, std::pair<double, size_t>> reasons;
  for (uint32_t i = 0; i < unit.offers.size(); ++i) {
    if (unit.offers[i].program || is_view(tables, tables.operators[i])) continue;
    auto& [macs, operators] = reasons[unit.offers[i].reason];
    macs += static_cast<double>(statistics(tables, tables.operators[i]).macs) / 1e6;
    ++operators;
  }
  std::vector<tools::PageBar> bars;
  for (const auto& [reason, work] : reasons)
    bars.push_back({reason, work.first, "", {{"operators", std::to_string(work.second)}}});
  std::ranges::sort(bars, std::greater(), &tools::PageBar::value);
  return bars;
}

tools::OperatorMark mark_of(const plan::Tables& tables, const Explanation& unit, uint32_t op) {
  const Offer& offer = unit.offers[op];
  if (is_view(tables, tables.operators[op])) return {"computes nothing", {}};
  if (!offer.program) return {"stays on the CPU", {{"because", offer.reason}}};
  return {"has a program",
          {{"kcycles", kilo(offer.program->cycles)}, {"occupancy", percent(offer.program->occupancy)}}};
}

tools::Page page_of(const std::string& model, const plan::Tables& tables, const std::vector<Explanation>& units) {
  tools::Page page("Where " + tools::file_name(model) + " may run", "nestc explain");
  for (const Explanation& unit : units) {
    Total total, all;
    const tools::Table table = operator_table(tables, unit, total, all);
    page.add_facts(unit.unit,
                   {{"operators", fmt::format("{} of {} that compute", total.operators, all.operators)},
                    {"multiplications", percent(ratio(static_cast<double>(total.macs), static_cast<double>(all.macs)))},
                    {"kcycles", kilo(total.cycles)},
                    {"shared with the CPU", fmt::format("{} of them, in {} parts", total.divided, total.num_partial)}});
    page.add_bars("Why operators do not run on " + unit.unit, "MMAC", reason_bars(tables, unit),
                  "Work by reason. The reason is what would have to change.");
    tools::add_operator_graph(page, "Operators on " + unit.unit, tables,
                              [&](uint32_t op) { return mark_of(tables, unit, op); });
    page.add_table("Costs on " + unit.unit, table);
  }
  return page;
}

Status ExplainCommand::run_on_plan() const {
  const std::string given = quantize_flags.given("--quantize") ? "--quantize" : flags.first_given();
  if (!given.empty())
    return Status(Code::kInvalidArgument,
                  given + " applies to compiling a model, but '" + model + "' is already a plan");
  NESTRT_ASSIGN_OR_RETURN(const auto plan, Plan::map(model, Verification::kComplete));
  if (const size_t shapes = plan->shapes().size(); shapes > 1)
    fmt::print("the first of {} shapes, {}:\n", shapes, plan->inputs()[0].shape.to_string());
  tools::Page page("Where " + tools::file_name(model) + " may run", "nestc explain");
  const tools::Json units = explain_plan(plan->tables(), page);
  if (!html.empty()) NESTRT_RETURN_IF_ERROR(tools::write_page(html, page));
  return json.empty() ? Status() : tools::write_json(json, units);
}

Status ExplainCommand::run() const {
  NESTRT_RETURN_IF_ERROR(check_report_files({json, html}, model, flags));
  for (const std::string& output : {json, html}) NESTRT_RETURN_IF_ERROR(quantize_flags.check_output(output));
  NESTRT_RETURN_IF_ERROR(quantize_flags.check_saved(model));
  NESTRT_RETURN_IF_ERROR(flags.check_output(quantize_flags.saved()));
  if (is_plan_file(model)) return run_on_plan();
  NESTRT_ASSIGN_OR_RETURN(const Compiled compiled, compile_all(*this));
  NESTRT_ASSIGN_OR_RETURN(const auto plan, Plan::from_memory(compiled.bytes.span()));
  tools::warn_about_input_range(plan->tables());
  tools::Page page = page_of(model, plan->tables(), compiled.units);
  tools::Json arithmetic = explain_precisions(plan->tables(), compiled.kept, page);
  tools::Json units = tools::Json::array();
  for (const Explanation& unit : compiled.units) {
    print(plan->tables(), unit);
    units.push_back(to_json(plan->tables(), unit));
  }
  units.push_back(std::move(arithmetic));
  if (!html.empty()) NESTRT_RETURN_IF_ERROR(tools::write_page(html, page));
  return json.empty() ? Status() : tools::write_json(json, units);
}

}  // namespace

void add_explain_command(tools::Cli& cli) {
  auto command = std::make_shared<ExplainCommand>();
  tools::Command app = cli.add_command(
      "explain",
      "show how each operator is computed and why, where it can run, its cost there, or why it cannot run there",
      {"nestc explain squeezenet.nest",
       "nestc explain squeezenet1.1.onnx --target zcu102 --quantize s8 --calibrate images --mean 123,117,104",
       "nestc explain squeezenet1.1.onnx --target cpu,evta:1x32_15_15_18_17 --quantize s8 --calibrate profile.yaml"},
      [command]() -> Result<tools::ExitCode> {
        NESTRT_RETURN_IF_ERROR(command->run());
        return tools::ExitCode::kOk;
      });
  app.add_option("model", command->model,
                 "the ONNX or TensorFlow Lite file, or a plan to show the programs of its units")
      .required();
  app.add_option("--json", command->json, "also write the table to this file").not_empty();
  tools::add_html_option(app, command->html);
  command->flags.add_to(app);
  command->quantize_flags.add_to(app);
}

}  // namespace nestrt::compiler
