// SPDX-License-Identifier: Apache-2.0
// Parts shared by the commands: a plan with its session, common options, and output files.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "nestrt/driver/unit.h"
#include "nestrt/open_units.h"
#include "nestrt/plan.h"
#include "nestrt/session.h"
#include "runtime/core/tensor_set.h"
#include "tools/support/report/run_trace.h"
#include "tools/support/text/cli.h"

namespace nestrt::command {

// The options that select units, scheduling and tracing.
struct UnitChoice {
  std::string units = "cpu";
  std::string cpus;  // CPUs that the process may use, such as "0-1,3"; empty: all available
  int threads = 0;
  std::string transport = "xrt";
  std::string xclbin, device, plugin, plugin_options;  // UnitOptions
  bool isolate = false;
  double device_wait = 0;  // seconds; UnitOptions::device_wait
  double pace = 0;
  ScheduleMethod method = ScheduleMethod::kOptimum;
  bool split_channels = true;
  std::string partition;     // partition plan that places the branches instead of a method; empty: none
  std::string cost_file;     // CostOptions::file
  uint32_t check_every = 0;  // FaultToleranceOptions::check_every
  std::string trace;         // file for a trace of the last run; empty: no trace
  int shape = 0;             // shape of a plan with several, counted from 1; 0: the first

  // Opens the units. A unit without a configuration gets the one that the plan was compiled for. The calling thread and
  // all threads started from now on stay on `cpus`.
  Result<UnitList> open(const Plan& plan) const;
  UnitOptions unit_options() const;  // points into this object
  // Errors: kInvalidArgument if an option applies to units that `units` does not name.
  Status check_units() const;
  // `opened`: the result of open(). Errors: those of reading a file.
  Result<SessionOptions> session_options(const Plan& plan, const UnitList& opened, RunObserver* observer) const;
};

// The options for reading a plan file.
struct ReadChoice {
  std::vector<std::string> keys;  // public key files, one of which must have signed the plan; empty: accept any plan
  bool copy = false;              // LoadOptions::copy

  Result<LoadOptions> options() const;
};

struct LoadedPlan {
  std::shared_ptr<const Plan> plan;
  UnitList units;
  std::unique_ptr<tools::RunRecorder> recorder;  // holds the last run; null unless a trace is requested
  std::unique_ptr<Session> session;

  Status run(std::span<const ConstTensorView> inputs, std::span<const TensorView> outputs) const;
};

// Verifies the plan completely and prepares it on the units.
Result<LoadedPlan> load_plan(const std::string& path, const UnitChoice& choice, const ReadChoice& reading = {});

// Writes the recorded trace and warns if spans are missing.
Status write_trace(const std::string& path, const tools::RunRecorder& recorder, const Session& session,
                   const UnitList& units);

// Accepts "file-order", "sequential", "group-enumeration" and "optimum". Errors: kInvalidArgument.
Result<ScheduleMethod> parse_schedule_method(const std::string& name);

// Returns one line per tensor, such as "  data  f32  1x3x224x224".
std::string describe(std::span<const TensorInfo> infos);

// Options shared by several commands. The values must outlive the parsing of the command line.
void add_plan_argument(tools::Command app, std::string& path);
void add_unit_options(tools::Command app, UnitChoice& choice);
void add_read_options(tools::Command app, ReadChoice& choice);
void add_schedule_options(tools::Command app, UnitChoice& choice);
// Adds an option that accepts the name of a scheduling method and passes it to `set`.
tools::Option add_method_option(tools::Command app, const std::string& name, std::function<void(ScheduleMethod)> set,
                                const std::string& description);
void add_trace_option(tools::Command app, UnitChoice& choice, const std::string& what);
void add_input_option(tools::Command app, std::vector<std::string>& inputs, const std::string& what);
void add_offset_option(tools::Command app, int64_t& offset);
void add_json_option(tools::Command app, std::string& path, const std::string& what);

// Checks before any computation that the output files, including those of `choice`, are writable, distinct, and not
// among the inputs. Empty paths are ignored.
Status check_output_files(std::vector<std::string> outputs, std::vector<std::string> inputs,
                          const UnitChoice& choice = {});

}  // namespace nestrt::command
