// SPDX-License-Identifier: Apache-2.0
// nestrt bench: measures the latency of a plan. It counts inferences, not seconds, so that it behaves the same under an
// emulator.
#include <fmt/core.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <numeric>
#include <optional>
#include <string_view>

#include "nestrt/driver/plan_tables.h"
#include "tools/nestrt/commands.h"
#include "tools/nestrt/figures.h"
#include "tools/nestrt/figures/comparison.h"
#include "tools/nestrt/figures/machine_report.h"
#include "tools/nestrt/figures/summaries.h"
#include "tools/nestrt/figures/throughput.h"
#include "tools/nestrt/figures/unit_times.h"
#include "tools/nestrt/load.h"
#include "tools/support/page/page.h"
#include "tools/support/report/plan_shape.h"
#include "tools/support/report/statistics.h"
#include "tools/support/report/tensor_files.h"
#include "tools/support/text/printable.h"
#include "tools/support/text/progress.h"

namespace nestrt::command {
namespace {

constexpr int kTracedRuns = 3;
constexpr size_t kRunsOnPage = 200;  // bars, evenly spaced over all runs

// The first Ctrl-C ends the runs and shows their results; a second one ends the program.
class Interruption {
 public:
  Interruption() {
    asked_for = 0;
    sigaction(SIGINT, nullptr, &before_);
    // ignored, as in a background job
    if ((before_.sa_flags & SA_SIGINFO) == 0 && before_.sa_handler == SIG_IGN) return;
    struct sigaction action = {};
    action.sa_handler = [](int) { asked_for = 1; };
    action.sa_flags = static_cast<int>(SA_RESETHAND);
    sigaction(SIGINT, &action, nullptr);
  }
  ~Interruption() { sigaction(SIGINT, &before_, nullptr); }
  Interruption(const Interruption&) = delete;
  Interruption& operator=(const Interruption&) = delete;

  static bool is_asked_for() { return asked_for != 0; }

 private:
  static volatile std::sig_atomic_t asked_for;
  struct sigaction before_ = {};
};

volatile std::sig_atomic_t Interruption::asked_for = 0;

// Records what the options request: the total time of each operator, the busy time of each unit, and a trace of the
// last runs.
class Watcher final : public RunObserver {
 public:
  static bool is_wanted(const BenchOptions& options) {
    return options.per_op || options.per_unit || !options.units.trace.empty() || !options.html.empty();
  }

  Watcher(const Plan& plan, const UnitList& units, const BenchOptions& options) {
    const bool page = !options.html.empty();
    if (options.per_unit || page) units_.emplace(units, options.runs);
    if (options.per_op || page) totals_ = std::vector<std::atomic<int64_t>>(plan.tables().operators.size());
    if (!options.units.trace.empty() || page) recorder_.emplace(plan, kTracedRuns);
  }

  void operator_done(uint32_t operator_index, Time start, Time end) override {
    if (!totals_.empty()) totals_[operator_index].fetch_add((end - start).count(), std::memory_order_relaxed);
    if (recorder_) recorder_->operator_done(operator_index, start, end);
  }
  void phase_done(uint32_t operator_index, Phase phase, Time start, Time end) override {
    if (recorder_) recorder_->phase_done(operator_index, phase, start, end);
  }
  void step_done(const StepRecord& step) override {
    if (recorder_) recorder_->step_done(step);
    if (units_) units_->step_done(step);
  }

  void start_of_run(int run, const BenchOptions& options) {
    if (run == options.warmup) std::fill(totals_.begin(), totals_.end(), 0);
    const int untraced = options.runs > kTracedRuns ? options.runs - kTracedRuns : 0;
    if (recorder_ && run == options.warmup + untraced) recorder_->clear();
  }
  void end_of_run(int run, const BenchOptions& options, Time start, Time end) {
    if (recorder_) recorder_->run_done(start, end);
    if (units_) units_->end_of_run(run >= options.warmup);
  }

  std::vector<double> milliseconds_per_run(int runs) const {
    std::vector<double> result;
    for (const int64_t total : totals_) result.push_back(tools::milliseconds(SteadyClock::duration(total)) / runs);
    return result;
  }
  const std::optional<tools::RunRecorder>& recorder() const { return recorder_; }
  const std::optional<UnitTimes>& units() const { return units_; }

 private:
  std::vector<std::atomic<int64_t>> totals_;  // by operator, clock ticks; empty unless requested
  std::optional<tools::RunRecorder> recorder_;
  std::optional<UnitTimes> units_;
};

struct Measurement {
  int threads = 0;
  double open_ms = 0;     // opening the units
  double map_ms = 0;      // mapping and verification of the tables
  double create_ms = 0;   // preparation of kernels and memory
  double warm_up_ms = 0;  // Session::warm_up(); 0 unless requested
  double first_ms = 0;    // the first inference after that
  std::vector<double> run_ms;
  std::vector<double> operator_ms;  // mean over the measured runs; empty unless requested
  double base_rss_mb = 0;           // before the plan was opened
  double peak_rss_mb = 0;
  double predicted_ms = 0;    // latency of the first schedule according to costs; 0: scheduled without costs
  double lower_bound_ms = 0;  // of any schedule
  uint64_t host_fallbacks = 0;
  uint64_t reschedules = 0;
  tools::MachineState before, after;  // before and after the runs

  int runs() const { return static_cast<int>(run_ms.size()); }  // fewer than requested if interrupted
  double load_ms() const { return map_ms + create_ms; }
};

// Returns a field of /proc/self/status in MB. exec() resets the peak there; getrusage() would include the memory of the
// parent process before fork().
double memory_mb(std::string_view field) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with(field)) return std::strtod(line.c_str() + field.size(), nullptr) * 1024 / 1e6;
  }
  return 0;
}

Status run_all(Session& session, const tools::InputTensors& inputs, const BenchOptions& options, Watcher* watcher,
               Measurement& result) {
  NESTRT_ASSIGN_OR_RETURN(const TensorSet outputs, TensorSet::create(session.outputs()));
  const std::vector<ConstTensorView> input_views = inputs.views();
  result.run_ms.reserve(static_cast<size_t>(options.runs));
  result.before = tools::read_machine_state();
  const Interruption interruption;
  tools::Progress progress("runs", options.warmup + options.runs);
  for (int i = 0; i < options.warmup + options.runs && !Interruption::is_asked_for(); ++i) {
    if (watcher != nullptr) watcher->start_of_run(i, options);
    const SteadyClock::time_point start = SteadyClock::now();
    NESTRT_RETURN_IF_ERROR(session.run(input_views, outputs.views()));
    const SteadyClock::time_point end = SteadyClock::now();
    if (watcher != nullptr) watcher->end_of_run(i, options, start, end);
    if (i == 0) result.first_ms = tools::milliseconds(end - start);
    if (i >= options.warmup) result.run_ms.push_back(tools::milliseconds(end - start));
    progress.advance();
  }
  if (result.run_ms.empty())
    return Status(Code::kCancelled, fmt::format("interrupted before the first measured run, which follows {} warm-up "
                                                "runs; see --warmup",
                                                options.warmup));
  result.after = tools::read_machine_state();
  result.peak_rss_mb = memory_mb("VmHWM:");
  if (watcher != nullptr) result.operator_ms = watcher->milliseconds_per_run(result.runs());
  return {};
}

Status warm_up(Session& session, Measurement& result) {
  const SteadyClock::time_point start = SteadyClock::now();
  NESTRT_RETURN_IF_ERROR(session.warm_up());
  result.warm_up_ms = tools::milliseconds(SteadyClock::now() - start);
  return {};
}

struct Bench {
  Measurement measurement;
  std::optional<Comparison> comparison;
  std::optional<Throughput> throughput;
  PlanSummary plan;
  std::unique_ptr<Watcher> watcher;  // null if nothing is requested
  tools::ChromeTrace trace;          // of the last runs; empty unless requested

  // Null unless requested.
  const UnitTimes* unit_times() const { return watcher != nullptr && watcher->units() ? &*watcher->units() : nullptr; }
};

// Verifies the plan outside the measured time. The file is in the page cache afterwards.
Result<UnitList> units_for(const BenchOptions& options, double& open_ms) {
  NESTRT_ASSIGN_OR_RETURN(const auto plan, Plan::map(options.plan, Verification::kComplete));
  const SteadyClock::time_point start = SteadyClock::now();
  auto units = options.units.open(*plan);
  open_ms = tools::milliseconds(SteadyClock::now() - start);
  return units;
}

// Returns the schedule of the first run.
Result<std::shared_ptr<const Schedule>> measure_session(const std::shared_ptr<const Plan>& plan, const UnitList& units,
                                                        const SessionOptions& session_options,
                                                        const tools::InputTensors& inputs, const BenchOptions& options,
                                                        Watcher* watcher, Bench& bench) {
  Measurement& measurement = bench.measurement;
  const SteadyClock::time_point start = SteadyClock::now();
  NESTRT_ASSIGN_OR_RETURN(const auto session, Session::create(plan, units, session_options));
  measurement.create_ms = tools::milliseconds(SteadyClock::now() - start);
  auto schedule = std::make_shared<const Schedule>(session->schedule());
  measurement.predicted_ms = schedule->makespan_us / 1e3;
  measurement.lower_bound_ms = schedule->lower_bound_us / 1e3;
  if (options.warm_start) NESTRT_RETURN_IF_ERROR(warm_up(*session, measurement));
  NESTRT_RETURN_IF_ERROR(run_all(*session, inputs, options, watcher, measurement));
  if (watcher != nullptr && watcher->recorder()) {
    bench.trace = tools::trace_of(*watcher->recorder(), *session, units);
    if (!options.units.trace.empty())
      NESTRT_RETURN_IF_ERROR(write_trace(options.units.trace, *watcher->recorder(), *session, units));
  }
  bench.plan = summarize_plan(*session);
  measurement.host_fallbacks = session->num_host_fallbacks();
  measurement.reschedules = session->num_reschedules();
  return std::shared_ptr<const Schedule>(std::move(schedule));
}

Result<Bench> measure(const BenchOptions& options) {
  Bench bench;
  bench.measurement.base_rss_mb = memory_mb("VmRSS:");
  tools::StageLine line("nestrt");
  line.show("opening units");
  NESTRT_ASSIGN_OR_RETURN(const UnitList units, units_for(options, bench.measurement.open_ms));
  line.show("preparing the plan and measuring operator costs if several units are available");
  for (const auto& unit : units)
    bench.measurement.threads = std::max(bench.measurement.threads, unit->info().num_threads);
  const SteadyClock::time_point start = SteadyClock::now();
  NESTRT_ASSIGN_OR_RETURN(const auto whole, Plan::map(options.plan, Verification::kTables));
  int shape = options.units.shape;
  if (shape == 0 && !options.inputs.empty()) {
    NESTRT_ASSIGN_OR_RETURN(shape, tools::shape_of_inputs(*whole, options.inputs));
  }
  NESTRT_ASSIGN_OR_RETURN(const auto plan, tools::plan_of_shape(whole, shape));
  bench.measurement.map_ms = tools::milliseconds(SteadyClock::now() - start);
  NESTRT_RETURN_IF_ERROR(check_output_files({options.json, options.html},
                                            tools::input_files(plan->inputs(), options.inputs), options.units));
  NESTRT_ASSIGN_OR_RETURN(const tools::InputTensors inputs,
                          tools::InputTensors::create(plan->inputs(), options.inputs));
  if (Watcher::is_wanted(options)) bench.watcher = std::make_unique<Watcher>(*plan, units, options);
  Watcher* const watcher = bench.watcher.get();
  NESTRT_ASSIGN_OR_RETURN(SessionOptions session, options.units.session_options(*plan, units, watcher));
  session.costs.measure = Measuring::kBefore;  // the results show what the board can achieve
  NESTRT_ASSIGN_OR_RETURN(const auto schedule, measure_session(plan, units, session, inputs, options, watcher, bench));
  session.observer = nullptr;
  if (Interruption::is_asked_for()) return bench;
  if (options.against) {
    SessionOptions chosen = session;
    chosen.fixed_schedule = schedule;
    NESTRT_ASSIGN_OR_RETURN(bench.comparison, compare_schedules(plan, units, chosen, *options.against, inputs,
                                                                options.warmup, options.runs));
  }
  if (options.pipeline > 0) {
    const PipelineOptions pipeline{.in_flight = options.pipeline, .session = session};
    NESTRT_ASSIGN_OR_RETURN(bench.throughput,
                            measure_throughput(plan, units, pipeline, inputs, options.warmup, options.runs));
  }
  return bench;
}

void add_times(Table& table, const Measurement& m, const BenchOptions& options) {
  const tools::Summary latency = tools::summarize(m.run_ms);
  const auto row = [&](std::string what, double ms, std::string note = "") {
    table.add_row({std::move(what), tools::format_ms(ms), std::move(note)});
  };
  row("median", latency.median,
      fmt::format("{} runs after {} warm-up runs, {} threads{}", m.runs(), options.warmup, m.threads,
                  m.runs() < options.runs ? fmt::format("; interrupted, {} were requested", options.runs) : ""));
  if (m.predicted_ms > 0)
    row("predicted", m.predicted_ms,
        fmt::format("from costs; at these costs, no schedule is faster than {}", tools::format_ms(m.lower_bound_ms)));
  row("p90", latency.p90);
  row("p99", latency.p99);
  row("min", latency.min);
  row("jitter", latency.jitter, "mean difference between consecutive runs");
  row("first run", m.first_ms);
  if (options.warm_start) row("warm-up", m.warm_up_ms, "before the first run");
  row("load", m.load_ms(),
      fmt::format("map and verify {}, create session and measure costs {}", tools::format_ms(m.map_ms),
                  tools::format_ms(m.create_ms)));
  row("open units", m.open_ms, "before loading");
}

void add_memory(Table& table, const Measurement& m, const SessionMemory& memory) {
  const auto row = [&](std::string what, size_t bytes, std::string note = "") {
    table.add_row({std::move(what), tools::format_bytes(bytes), std::move(note)});
  };
  row("peak RSS", static_cast<size_t>(m.peak_rss_mb * 1e6),
      fmt::format("{} before the plan was opened", tools::format_bytes(static_cast<size_t>(m.base_rss_mb * 1e6))));
  row("arena", memory.arena_bytes);
  row("scratch", memory.scratch_bytes);
  if (memory.copied_bytes + memory.shared_memory_bytes > 0) {
    row("copied", memory.copied_bytes, "per inference, to and from units that cannot access the tensors");
    row("transferred", memory.shared_memory_bytes,
        "per inference, between host and units: cache maintenance or bus transfers");
  }
  if (memory.repacked_bytes > 0)
    row("repacked", memory.repacked_bytes,
        "weights repacked at load: the plan has none for this CPU; add the CPU to --target, such as zcu102,host");
}

void add_speed(Table& table, uint64_t macs, double ms) {
  if (macs == 0) return;
  const auto count = static_cast<double>(macs);
  table.add_row(
      {"speed", tools::format_count(count / ms * 1e3, "MAC/s"), tools::format_count(count, "MAC") + " per inference"});
}

Table latency_table(const Bench& bench, const BenchOptions& options) {
  const Measurement& m = bench.measurement;
  Table table({{""}, {"", Align::kRight}, {""}});
  add_times(table, m, options);
  add_memory(table, m, bench.plan.memory);
  add_speed(table, bench.plan.traffic.macs, tools::summarize(m.run_ms).median);
  if (m.host_fallbacks > 0)
    table.add_row(
        {"host fallbacks", fmt::format("{}", m.host_fallbacks), "steps that ran on the CPU because a unit failed"});
  if (m.reschedules > 0)
    table.add_row({"rescheduled", fmt::format("{}", m.reschedules),
                   "times because costs changed; operators are shown with their units in the last schedule"});
  add_machine(table, m.before, m.after);
  if (bench.comparison) add_comparison(table, *bench.comparison);
  if (bench.throughput) add_throughput(table, *bench.throughput, options.pipeline);
  return table;
}

// Returns the CPU kernel if the CPU computes any slice of the operator.
std::string kernel_of(const OperatorRow& op) { return op.unit.find("cpu") == std::string::npos ? "" : op.kernel; }

// Sorts the operators by time, the slowest first.
Table operator_table(const Bench& bench) {
  const std::vector<double>& ms = bench.measurement.operator_ms;
  const double total = std::accumulate(ms.begin(), ms.end(), 0.0);
  std::vector<size_t> order(ms.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return ms[a] > ms[b]; });
  Table table({{"operator"},
               {"kind"},
               {"unit"},
               {"kernel"},
               {"mean", Align::kRight},
               {"share", Align::kRight},
               {"speed", Align::kRight}});
  for (const size_t i : order) {
    const OperatorRow& op = bench.plan.operators[i];
    const double macs_per_second = ms[i] > 0 ? static_cast<double>(op.macs) / ms[i] * 1e3 : 0;
    table.add_row({tools::printable(op.name), op.kind, op.unit, kernel_of(op), tools::format_ms(ms[i]),
                   fmt::format("{:.1f} %", total > 0 ? 100 * ms[i] / total : 0),
                   op.macs > 0 ? tools::format_count(macs_per_second, "MAC/s") : ""});
  }
  return table;
}

Json operators_to_json(const Bench& bench) {
  const std::vector<double>& ms = bench.measurement.operator_ms;
  Json list = Json::array();
  for (size_t i = 0; i < ms.size(); ++i) {
    const OperatorRow& op = bench.plan.operators[i];
    list.push_back({{"name", op.name},
                    {"kind", op.kind},
                    {"unit", op.unit},
                    {"kernel", kernel_of(op)},
                    {"mean_ms", ms[i]},
                    {"macs", op.macs}});
  }
  return list;
}

Json to_json(const Bench& bench, const BenchOptions& options) {
  const Measurement& m = bench.measurement;
  const tools::Summary latency = tools::summarize(m.run_ms);
  Json json{{"plan", options.plan},
            {"digest", bench.plan.digest},
            {"threads", m.threads},
            {"runs", m.runs()},
            {"warmup", options.warmup},
            {"run_ms", Json::array(m.run_ms)},
            {"median_ms", latency.median},
            {"p90_ms", latency.p90},
            {"p99_ms", latency.p99},
            {"min_ms", latency.min},
            {"jitter_ms", latency.jitter},
            {"first_ms", m.first_ms},
            {"warm_up_ms", m.warm_up_ms},
            {"load_ms", m.load_ms()},
            {"open_ms", m.open_ms},
            {"map_ms", m.map_ms},
            {"create_ms", m.create_ms},
            {"base_rss_mb", m.base_rss_mb},
            {"peak_rss_mb", m.peak_rss_mb},
            {"arena_bytes", bench.plan.memory.arena_bytes},
            {"scratch_bytes", bench.plan.memory.scratch_bytes},
            {"repacked_bytes", bench.plan.memory.repacked_bytes},
            {"copied_bytes", bench.plan.memory.copied_bytes},
            {"shared_memory_bytes", bench.plan.memory.shared_memory_bytes},
            {"macs", bench.plan.traffic.macs},
            {"predicted_ms", m.predicted_ms},
            {"lower_bound_ms", m.lower_bound_ms},
            {"host_fallbacks", m.host_fallbacks},
            {"reschedules", m.reschedules},
            {"machine_before", machine_to_json(m.before)},
            {"machine_after", machine_to_json(m.after)}};
  if (bench.comparison) json.set("comparison", to_json(*bench.comparison));
  if (bench.throughput) json.set("pipeline", to_json(*bench.throughput, options.pipeline));
  if (const UnitTimes* const units = bench.unit_times()) json.set("units", units->to_json());
  if (options.per_op) json.set("operators", operators_to_json(bench));
  return json;
}

std::vector<tools::PageBar> operator_bars(const Bench& bench) {
  std::vector<tools::PageBar> bars;
  const std::vector<double>& ms = bench.measurement.operator_ms;
  for (size_t i = 0; i < ms.size(); ++i) {
    const OperatorRow& op = bench.plan.operators[i];
    bars.push_back({op.name, ms[i], op.unit, {{"kind", op.kind}, {"kernel", kernel_of(op)}}});
  }
  return bars;
}

std::vector<tools::PagePoint> operator_points(const Bench& bench) {
  std::vector<tools::PagePoint> points;
  const std::vector<double>& ms = bench.measurement.operator_ms;
  const double total = std::accumulate(ms.begin(), ms.end(), 0.0);
  for (size_t i = 0; i < ms.size(); ++i) {
    const OperatorRow& op = bench.plan.operators[i];
    if (op.macs == 0 || !(ms[i] > 0)) continue;
    points.push_back({op.name, op.intensity, static_cast<double>(op.macs) / ms[i] * 1e3, ms[i] / total, op.unit});
  }
  return points;
}

std::vector<tools::PageBar> run_bars(const Measurement& m) {
  std::vector<tools::PageBar> bars;
  const size_t step = (m.run_ms.size() + kRunsOnPage - 1) / kRunsOnPage;
  for (size_t i = 0; i < m.run_ms.size(); i += step) bars.push_back({fmt::format("run {}", i), m.run_ms[i], "", {}});
  return bars;
}

tools::Page page_of(const Bench& bench, const BenchOptions& options) {
  const Measurement& m = bench.measurement;
  tools::Page page("Latency of " + tools::file_name(options.plan),
                   fmt::format("nestrt bench, units {}", options.units.units));
  page.add_table("Latency", latency_table(bench, options));
  if (const UnitTimes* const units = bench.unit_times())
    page.add_table("Units", units->table(tools::summarize(m.run_ms).median), "Busy time per run.");
  page.add_timeline("The last runs", bench.trace, "Steps of the schedule on their units, with operators and waits.");
  page.add_bars("Time by operator", "ms", operator_bars(bench), "Means, in the order of the plan.");
  page.add_roofline(
      "Operators against the roofline", operator_points(bench),
      "Speed over intensity; the area of a point is its share of the time. The roof is the highest speed and "
      "the highest bandwidth of any operator in this run.");
  page.add_table("Operators", operator_table(bench));
  page.add_bars("Time by run", "ms", run_bars(m));
  return page;
}

Result<ExitCode> run_bench(const BenchOptions& options) {
  NESTRT_RETURN_IF_ERROR(check_output_files({options.json, options.html}, {options.plan}, options.units));
  NESTRT_ASSIGN_OR_RETURN(const Bench bench, measure(options));
  fmt::print("{}", latency_table(bench, options).to_string());
  if (const UnitTimes* const units = bench.unit_times())
    fmt::print("\n{}", units->table(tools::summarize(bench.measurement.run_ms).median).to_string());
  if (options.per_op) fmt::print("\n{}", operator_table(bench).to_string());
  if (!options.json.empty()) NESTRT_RETURN_IF_ERROR(tools::write_json(options.json, to_json(bench, options)));
  if (!options.html.empty()) NESTRT_RETURN_IF_ERROR(tools::write_page(options.html, page_of(bench, options)));
  return bench.measurement.runs() < options.runs ? ExitCode::kInterrupted : ExitCode::kOk;
}

}  // namespace

Result<Json> bench_figures(const BenchOptions& options) {
  NESTRT_RETURN_IF_ERROR(check_output_files({}, {options.plan}, options.units));
  NESTRT_ASSIGN_OR_RETURN(const Bench bench, measure(options));
  return to_json(bench, options);
}

void add_bench(tools::Cli& cli) {
  auto options = std::make_shared<BenchOptions>();
  tools::Command app =
      cli.add_command("bench", "Measure latency, load time and memory of a plan",
                      {"nestrt bench squeezenet.nest --threads 4 --runs 200 --warmup 20",
                       "nestrt bench squeezenet.nest --threads 1 --per-op --json latency.json",
                       "nestrt bench net.nest --units cpu,evta:sim --cost-file costs --against sequential",
                       "nestrt bench squeezenet.nest --units cpu,evta --partition squeezenet.yaml"},
                      [options] { return run_bench(*options); });
  add_plan_argument(app, options->plan);
  add_input_option(app, options->inputs, "array for an input of the plan; default: random values");
  add_unit_options(app, options->units);
  add_schedule_options(app, options->units);
  app.add_option("--runs", options->runs, "measured inferences").in_range(1, 10000000).show_default();
  app.add_option("--warmup", options->warmup,
                 "inferences before the measured ones; the very first is also reported separately")
      .in_range(0, 10000000)
      .show_default();
  app.add_flag("--warm-start", options->warm_start,
               "call Session::warm_up() before the first run, as an application can");
  add_method_option(
      app, "--against", [options = options.get()](ScheduleMethod method) { options->against = method; },
      "compare with another --schedule in alternating runs, so that other load affects both alike");
  app.add_option(
         "--pipeline", options->pipeline,
         "also measure throughput with N inferences in flight, over at least 10 N inferences; placement minimises "
         "the load of the busiest unit or follows --partition, and ignores --schedule; 0: do not measure")
      .in_range(0, 1024)
      .show_default();
  app.add_flag("--per-op", options->per_op,
               "also measure the time of each operator (timestamps add slightly to the total)");
  app.add_flag("--per-unit", options->per_unit,
               "also measure the busy time of each unit (timestamps add slightly to the total)");
  add_trace_option(app, options->units, "the last " + std::to_string(kTracedRuns) + " inferences");
  add_json_option(app, options->json, "the figures");
  tools::add_html_option(app, options->html);
}

}  // namespace nestrt::command
