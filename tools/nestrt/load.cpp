// SPDX-License-Identifier: Apache-2.0
#include "tools/nestrt/load.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>

#include "drivers/evta/cycles/profile.h"
#include "drivers/unit_list.h"
#include "nestrt/driver/plan_tables.h"
#include "nestrt/log.h"
#include "nestrt/open_units.h"
#include "runtime/core/unit_infos.h"
#include "tools/support/board/cpu_set.h"
#include "tools/support/nest_c/partition_schedule.h"
#include "tools/support/report/plan_shape.h"
#include "tools/support/text/files.h"
#include "tools/support/text/json.h"
#include "tools/support/text/table.h"

namespace nestrt::command {

using tools::Table;

namespace {

// Returns the configuration that the plan was compiled for, such as ":1x16_15_15_18_17", if the unit requests none.
std::string configuration_of(const Plan& plan, const UnitRequest& unit) {
  for (const plan::Target& target : plan.tables().targets)
    if (unit.kind != "cpu" && target.unit == unit.kind && !unit.configuration && !target.configuration.empty() &&
        target.configuration.find_first_of(",:") == std::string::npos)
      return ":" + target.configuration;
  return "";
}

Result<std::shared_ptr<const Schedule>> read_partition(const std::string& path, const Plan& plan,
                                                       const UnitList& units) {
  NESTRT_ASSIGN_OR_RETURN(const tools::NestCPartitionPlan partitions, tools::read_nest_c_partition(path));
  Result<Schedule> schedule = tools::partition_schedule(partitions, plan, unit_infos(units));
  if (!schedule) return schedule.error().with_context("'" + path + "'");
  return std::make_shared<const Schedule>(std::move(*schedule));
}

// Warns if the plan was compiled for a different clock than that of the board whose timing --pace imitates.
void warn_of_pace(const Plan& plan) {
  constexpr double kPaceMhz = evta::kPaceClockHz / 1e6;
  for (const plan::Target& target : plan.tables().targets)
    if (target.unit == "evta" && target.clock_mhz > 0 && target.clock_mhz != kPaceMhz)
      log(LogLevel::kWarning,
          fmt::format(
              "--pace: '{}' has the timing of a ZCU102 at {:g} MHz, but the plan was compiled for {:g} MHz; use nestrt "
              "simulate --board for times at that clock",
              target.unit, kPaceMhz, target.clock_mhz));
}

}  // namespace

Result<ScheduleMethod> parse_schedule_method(const std::string& name) {
  static const std::map<std::string, ScheduleMethod> kMethods = {
      {"file-order", ScheduleMethod::kFileOrder},
      {"sequential", ScheduleMethod::kSequential},
      {"group-enumeration", ScheduleMethod::kGroupEnumeration},
      {"optimum", ScheduleMethod::kOptimum}};
  const auto method = kMethods.find(name);
  if (method != kMethods.end()) return method->second;
  return Status(Code::kInvalidArgument,
                "expected file-order, sequential, group-enumeration or optimum, got '" + tools::printable(name) + "'");
}

Status UnitChoice::check_units() const {
  bool is_simulated = false, is_reached = false, is_of_vendor = false;
  for (const UnitRequest& unit : parse_unit_list(units)) {
    const bool is_sim = unit.transport.value_or(transport) == "sim";
    if (unit.kind == "cpu") continue;
    if (unit.kind != "evta") is_of_vendor = true;
    (is_sim ? is_simulated : is_reached) = true;
  }
  const auto reject = [&](const char* option, const char* required) {
    return Status(Code::kInvalidArgument,
                  fmt::format("{} requires {}, but --units {} has none", option, required, tools::printable(units)));
  };
  if (!plugin.empty() && !is_of_vendor) return reject("--plugin", "vendor units");
  if (!plugin_options.empty() && !is_of_vendor) return reject("--plugin-options", "vendor units");
  if (isolate && !is_of_vendor) return reject("--isolate", "vendor units");
  if (pace > 0 && !is_simulated) return reject("--pace", "a simulated unit such as evta:sim");
  if (!xclbin.empty() && !is_reached) return reject("--xclbin", "an accelerator of a board such as evta");
  if (!device.empty() && !is_reached) return reject("--device", "an accelerator of a board such as evta");
  if (device_wait > 0 && !is_reached) return reject("--device-wait", "an accelerator of a board such as evta");
  return {};
}

Result<UnitList> UnitChoice::open(const Plan& plan) const {
  NESTRT_RETURN_IF_ERROR(check_units());
  if (pace > 0) warn_of_pace(plan);
  if (!cpus.empty()) {
    const Status status = tools::stay_on_cpus(cpus);
    if (!status.ok()) return status.with_context("--cpus");
  }
  std::string list;
  for (const UnitRequest& unit : parse_unit_list(units))
    list += fmt::format("{}{}{}", list.empty() ? "" : ",", unit.text, configuration_of(plan, unit));
  return open_units(list, unit_options());
}

UnitOptions UnitChoice::unit_options() const {
  return {.num_threads = threads,
          .pace = pace,
          .transport = transport,
          .xclbin = xclbin,
          .device = device,
          .plugin = plugin,
          .plugin_options = plugin_options,
          .isolate = isolate,
          .device_wait = std::chrono::milliseconds(static_cast<int64_t>(device_wait * 1000))};
}

Result<SessionOptions> UnitChoice::session_options(const Plan& plan, const UnitList& opened,
                                                   RunObserver* observer) const {
  SessionOptions options;
  options.observer = observer;
  options.schedule.method = method;
  options.schedule.split_channels = split_channels;
  options.costs.file = cost_file;
  options.fault_tolerance.check_every = check_every;
  if (!partition.empty()) {
    NESTRT_ASSIGN_OR_RETURN(options.fixed_schedule, read_partition(partition, plan, opened));
  }
  return options;
}

Result<LoadOptions> ReadChoice::options() const {
  LoadOptions options(Verification::kComplete);
  options.copy = copy;
  for (const std::string& key : keys) {
    NESTRT_ASSIGN_OR_RETURN(options.trusted_keys.emplace_back(), read_public_key(key));
  }
  return options;
}

Result<LoadedPlan> load_plan(const std::string& path, const UnitChoice& choice, const ReadChoice& reading) {
  NESTRT_ASSIGN_OR_RETURN(const LoadOptions load_options, reading.options());
  NESTRT_ASSIGN_OR_RETURN(const auto whole, Plan::map(path, load_options));
  NESTRT_ASSIGN_OR_RETURN(auto plan, tools::plan_of_shape(whole, choice.shape));
  NESTRT_ASSIGN_OR_RETURN(auto units, choice.open(*plan));
  std::unique_ptr<tools::RunRecorder> recorder;
  if (!choice.trace.empty()) recorder = std::make_unique<tools::RunRecorder>(*plan, 1);
  NESTRT_ASSIGN_OR_RETURN(const SessionOptions options, choice.session_options(*plan, units, recorder.get()));
  NESTRT_ASSIGN_OR_RETURN(auto session, Session::create(plan, units, options));
  return LoadedPlan{std::move(plan), std::move(units), std::move(recorder), std::move(session)};
}

Status LoadedPlan::run(std::span<const ConstTensorView> inputs, std::span<const TensorView> outputs) const {
  if (recorder == nullptr) return session->run(inputs, outputs);
  recorder->clear();
  const SteadyClock::time_point start = SteadyClock::now();
  NESTRT_RETURN_IF_ERROR(session->run(inputs, outputs));
  recorder->run_done(start, SteadyClock::now());
  return {};
}

Status write_trace(const std::string& path, const tools::RunRecorder& recorder, const Session& session,
                   const UnitList& units) {
  if (recorder.lost() > 0) log(LogLevel::kWarning, fmt::format("the trace lacks {} spans", recorder.lost()));
  return tools::write_json(path, trace_of(recorder, session, units).to_json());
}

std::string describe(std::span<const TensorInfo> infos) {
  Table table({{""}, {""}, {""}, {""}});
  for (const TensorInfo& info : infos) {
    table.add_row({"", tools::printable(info.name), std::string(name(info.type)), info.shape.to_string()});
  }
  return table.to_string();
}

void add_plan_argument(tools::Command app, std::string& path) {
  app.add_option("PLAN", path, "compiled network (.nest)").required().type_name("FILE");
}

void add_read_options(tools::Command app, ReadChoice& choice) {
  app.add_option("--key", choice.keys, "public key; the plan must be signed with one of the given keys")
      .type_name("FILE");
  app.add_flag("--copy", choice.copy,
               "read the plan into memory instead of mapping it, so that later changes of the file have no effect");
}

void add_unit_options(tools::Command app, UnitChoice& choice) {
  app.add_option("--units", choice.units, "units to use if the plan has programs for them, such as cpu,evta")
      .show_default();
  app.add_option(
         "--transport", choice.transport,
         "transport of accelerators: xrt for those of a board with XRT, uio for those of a board without it, sim "
         "for simulated ones; evta:sim in --units takes precedence")
      .one_of({"xrt", "uio", "sim"})
      .show_default();
  app.add_option("--xclbin", choice.xclbin, "bitstream for the fabric of the board; default: $NESTRT_XCLBIN")
      .type_name("FILE");
  app.add_option("--device", choice.device,
                 "board to use: XRT index or PCIe address; with uio, the device or address of its registers and its "
                 "memory, such as uio0, mem:0xa0000000 or uio0@udmabuf0; default: $NESTRT_DEVICE, or the first one");
  app.add_option("--device-wait", choice.device_wait, "how long to wait for a board that another process uses")
      .between(0, 1e6)
      .show_default()
      .type_name("SECONDS");
  app.add_option("--plugin", choice.plugin, "vendor library for units that are not built in (docs/how-to/plugins.md)")
      .type_name("FILE")
      .not_empty();
  app.add_option("--plugin-options", choice.plugin_options,
                 "options for the vendor library's devices; 1:NAME=VALUE applies to the second device only")
      .type_name("NAME=VALUE,...")
      .not_empty();
  app.add_flag("--isolate", choice.isolate,
               "run the vendor library in a separate process, so that its crashes only fail its own units");
  app.add_option("--cpus", choice.cpus, "CPUs of the machine to use, such as 0-1,3; default: all")
      .type_name("LIST")
      .not_empty();
  app.add_option("--threads", choice.threads, "threads of the CPU; 0: one per core that the process may use")
      .in_range(0, 256)
      .show_default();
  tools::add_shape_option(app, choice.shape, "use, counted from 1");
  app.add_option(
         "--pace", choice.pace,
         "minimum time of simulated units, as a multiple of their time on a ZCU102 at 200 MHz, regardless of the "
         "clock that the plan was compiled for; 0: no minimum")
      .between(0, 1e6)
      .show_default()
      .type_name("FACTOR");
}

tools::Option add_method_option(tools::Command app, const std::string& name, std::function<void(ScheduleMethod)> set,
                                const std::string& description) {
  const auto parse = [set = std::move(set)](const std::string& text) -> Status {
    NESTRT_ASSIGN_OR_RETURN(const ScheduleMethod method, parse_schedule_method(text));
    set(method);
    return {};
  };
  return app.add_parsed_option(name, parse, description).type_name("METHOD");
}

void add_schedule_options(tools::Command app, UnitChoice& choice) {
  const tools::Option method = add_method_option(
      app, "--schedule", [&choice](ScheduleMethod given) { choice.method = given; },
      "scheduling method: file-order, sequential, group-enumeration, optimum (default; "
      "docs/concepts/scheduling.md)");
  app.add_option(
         "--partition", choice.partition,
         "NEST-C partition plan (nestc partition) with the unit of each branch and which branches run concurrently")
      .type_name("FILE.yaml")
      .not_empty()
      .excludes(method);
  app.add_flag("!--no-split", choice.split_channels, "do not split operators across units");
  app.add_option("--cost-file", choice.cost_file,
                 "file that stores costs measured on this board; also enables scheduling if the CPU is the only unit")
      .type_name("FILE")
      .not_empty();
  app.add_option("--check-every", choice.check_every,
                 "verify the results of other units on the CPU every N runs; 0: never")
      .show_default()
      .type_name("RUNS");
}

void add_trace_option(tools::Command app, UnitChoice& choice, const std::string& what) {
  app.add_option("--trace", choice.trace, "file for a trace of " + what + ", for ui.perfetto.dev")
      .type_name("FILE")
      .not_empty();
}

void add_input_option(tools::Command app, std::vector<std::string>& inputs, const std::string& what) {
  app.add_option("--input", inputs, what).repeatable().type_name("NAME=FILE.npy");
}

void add_offset_option(tools::Command app, int64_t& offset) {
  app.add_option("--offset", offset, "added to the index of an output to get its class; -1 if output 0 is background")
      .in_range(-1000000000, 1000000000)
      .show_default();
}

void add_json_option(tools::Command app, std::string& path, const std::string& what) {
  app.add_option("--json", path, "file for " + what).type_name("FILE").not_empty();
}

Status check_output_files(std::vector<std::string> outputs, std::vector<std::string> inputs, const UnitChoice& choice) {
  outputs.push_back(choice.trace);
  outputs.push_back(choice.cost_file);
  inputs.push_back(choice.partition);
  for (const std::string& path : outputs) {
    if (path.empty()) continue;
    NESTRT_RETURN_IF_ERROR(tools::check_not_input(path, inputs));
    // The session creates the folder of a cost file.
    if (path != choice.cost_file) NESTRT_RETURN_IF_ERROR(tools::check_writable(path));
  }
  return tools::check_distinct(outputs);
}

}  // namespace nestrt::command
