// SPDX-License-Identifier: Apache-2.0
// The results of bench, simulate and profile in the format of --json, for callers in the same process.
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
  std::vector<std::string> inputs;  // as for `nestrt run`; empty: random inputs
  UnitChoice units;
  int runs = 100;
  int warmup = 10;
  bool warm_start = false;  // call Session::warm_up() before the first run
  int pipeline = 0;         // inferences in flight; 0: sequential
  std::optional<ScheduleMethod> against;
  bool per_op = false;
  bool per_unit = false;
  std::string json;
  std::string html;
};

struct SimulateOptions {
  std::string plan;
  std::vector<std::string> concurrent_plans;
  bool urgent = false;
  std::string placements;
  std::string board = "zcu102";
  std::vector<std::string> profiles;
  int shape = 0;  // shape of a plan with several, counted from 1; 0: the first
  std::vector<double> clocks;
  std::vector<double> scales;
  BoardOverrides changes;
  int budget_ms = static_cast<int>(ScheduleOptions().budget / std::chrono::milliseconds(1));  // default: a session's
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

// These functions return the results. They print only progress and write the files named in the options, except `json`.
// Errors: those of the commands.
Result<tools::Json> bench_figures(const BenchOptions& options);
Result<tools::Json> simulate_figures(const SimulateOptions& options);
// Measures only; does not import.
Result<tools::Json> profile_figures(const ProfileOptions& options);

}  // namespace nestrt::command
