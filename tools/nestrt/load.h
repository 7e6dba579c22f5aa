// What the commands have in common: a plan with its session, their options, and the files they write.
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

// Where a plan may run: the units, as open_units() takes them, the threads of the CPU, the pace of simulated units; how
// it is scheduled; and whether it is watched.
struct UnitChoice {
  std::string units = "cpu";
  std::string cpus;  // that the process may use, "0-1,3"; empty: all it has
  int threads = 0;
  std::string transport = "xrt";
  std::string xclbin, device, plugin;  // UnitOptions
  bool isolate = false;
  double pace = 0;
  ScheduleMethod method = ScheduleMethod::kOptimum;
  bool split_channels = true;
  std::string partition;     // file that places the branches, instead of a method; empty: none
  std::string cost_file;     // SessionOptions::cost_file
  uint32_t check_every = 0;  // SessionOptions::check_every
  std::string trace;         // file for a trace of the last run; empty: none
  int shape = 0;             // of a plan for several shapes the one to look at, from 1; 0: the first

  // A unit without a configuration gets the one that the plan was compiled for. The calling thread, and those that are
  // started from here on, stay on `cpus`.
  Result<UnitList> open(const Plan& plan) const;
  UnitOptions unit_options() const;  // points into this object
  // Errors: kInvalidArgument where an option is for units that `units` does not name.
  Status check_units() const;
  // `opened`: what open() gave. Errors: those of a file to read.
  Result<SessionOptions> session_options(const Plan& plan, const UnitList& opened, RunObserver* observer) const;
};

// How a plan's file is read.
struct ReadChoice {
  std::vector<std::string> keys;  // files of public keys, of which one must have signed the plan; none: anybody's
  bool copy = false;              // LoadOptions::copy

  Result<LoadOptions> options() const;
};

struct LoadedPlan {
  std::shared_ptr<const Plan> plan;
  UnitList units;
  std::unique_ptr<tools::RunRecorder> recorder;  // holds the last run; null unless a trace is asked for
  std::unique_ptr<Session> session;

  Status run(std::span<const ConstTensorView> inputs, std::span<const TensorView> outputs) const;
};

// Verified completely and prepared on the units.
Result<LoadedPlan> load_plan(const std::string& path, const UnitChoice& choice, const ReadChoice& reading = {});

// The trace of what was recorded, and a warning where that is not all.
Status write_trace(const std::string& path, const tools::RunRecorder& recorder, const Session& session,
                   const UnitList& units);

// "file-order", "sequential", "paper" or "optimum". Errors: kInvalidArgument.
Result<ScheduleMethod> parse_schedule_method(const std::string& name);

// "  data  f32  1x3x224x224" line by line.
std::string describe(std::span<const TensorInfo> infos);

// Options that several commands take. The values outlive the parsing of the command line.
void add_plan_argument(tools::Command app, std::string& path);
void add_unit_options(tools::Command app, UnitChoice& choice);
void add_read_options(tools::Command app, ReadChoice& choice);
void add_schedule_options(tools::Command app, UnitChoice& choice);
// An option that takes the name of a way to schedule, which `set` is told.
tools::Option add_method_option(tools::Command app, const std::string& name, std::function<void(ScheduleMethod)> set,
                                const std::string& description);
void add_trace_option(tools::Command app, UnitChoice& choice, const std::string& what);
void add_input_option(tools::Command app, std::vector<std::string>& inputs, const std::string& what);
void add_offset_option(tools::Command app, int64_t& offset);
void add_json_option(tools::Command app, std::string& path, const std::string& what);

// Before anything is computed: the files that a command writes, those of the choice too, can be written, are different
// ones, and none of those that it reads. An empty path is no file.
Status check_output_files(std::vector<std::string> outputs, std::vector<std::string> inputs,
                          const UnitChoice& choice = {});

}  // namespace nestrt::command
