// What bench, simulate and profile find out, as --json has it: for callers in the same process.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "nestrt/driver/schedule.h"
#include "runtime/costs/measurement/measure_costs.h"
#include "tools/nestrt/load.h"
#include "tools/nestrt/simulation/virtual_board.h"
#include "tools/support/text/json.h"

namespace nestrt::command {

struct BenchOptions {
  std::string plan;
  std::vector<std::string> inputs;  // as `nestrt run` takes them; none: random ones
  UnitChoice units;
  int runs = 100;
  int warmup = 10;
  int pipeline = 0;  // inferences in flight; 0: one after the other
  std::optional<ScheduleMethod> against;
  bool per_op = false;
  bool per_unit = false;
  std::string json;
  std::string html;
};

struct SimulateOptions {
  std::string plan;
  std::vector<std::string> beside;
  bool urgent = false;
  std::string placements;
  std::string board = "zcu102";
  std::vector<std::string> profiles;
  int shape = 0;  // of a plan for inputs of several shapes, counted from 1; 0: the first
  std::vector<double> clocks;
  std::vector<double> scales;
  BoardChanges changes;
  int budget_ms = static_cast<int>(ScheduleOptions().budget / std::chrono::milliseconds(1));  // as a session has it
  bool steps = false;
  std::string json;
  std::string html;
  std::string trace;
};

struct ProfileOptions {
  std::string plan;
  UnitChoice units;
  std::string output;
  std::vector<std::string> imports;
  std::string configuration = "neon";
  std::vector<std::string> clocks;  // "evta=200"
  std::string json;
  std::string html;
  MeasureOptions measure;
  double seconds = 20;
};

// Nothing is printed but progress, and only the files are written that the options name beside `json`.
// Errors: those of the commands.
Result<tools::Json> bench_figures(const BenchOptions& options);
Result<tools::Json> simulate_figures(const SimulateOptions& options);
// Measures; does not import.
Result<tools::Json> profile_figures(const ProfileOptions& options);

}  // namespace nestrt::command
