// SPDX-License-Identifier: Apache-2.0
// Measures the costs of a plan's operators on the available units. Runs whole inferences so that caches are in their
// usual state. Each inference runs all branches that one unit supports on that unit. The cost of an operator is the
// median of its times.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "nestrt/driver/costs.h"
#include "nestrt/driver/plan_tables.h"
#include "nestrt/driver/unit.h"
#include "nestrt/plan.h"
#include "nestrt/result.h"
#include "runtime/core/function_ref.h"

namespace nestrt {

struct MeasureOptions {
  std::vector<int> threads;  // thread counts to measure, each at most the host's; empty: 1, 2, 4 ... and all
  int warmup = 2;            // inferences before measurement
  int min_runs = 7;
  int max_runs = 200;
  // Measurement is complete when the 95 % confidence interval of every median is within this fraction of the median, or
  // within a microsecond.
  double precision = 0.03;
  // Time limit for each way to run the plan. When it is reached, measurement ends with the precision achieved so far.
  std::chrono::milliseconds limit{20'000};
  // Time limit for all ways together. After that, each way runs at most once more, and at least once in total.
  std::chrono::milliseconds total_limit{3'600'000};
  std::chrono::milliseconds unit_timeout{10'000};  // time limit for a branch on an accelerator
  std::vector<const plan::Program*> rejected;      // programs rejected by their units (UnitInfo::refused)
};

// The times of one work item on one unit. Outliers are more than three interquartile ranges beyond a quartile. They are
// included in the median because they hardly affect it.
struct WorkTimes {
  UnitKey unit;
  std::string work;
  std::string name;  // name of its first operator
  uint32_t branch = 0;
  ChannelRange channels;
  int runs = 0;
  int outliers = 0;
  double median_us = 0;
  double first_quartile_us = 0;
  double third_quartile_us = 0;
  double error_us = 0;  // half of the confidence interval
};

// An accelerator that failed during measurement.
struct FailedUnit {
  uint32_t unit = 0;  // index in the unit list
  Status why;
};

struct MeasuredCosts {
  CostTable costs;
  std::vector<WorkTimes> works;    // in file order, unit by unit
  std::vector<FailedUnit> failed;  // units without results
};

// Measures all programs for the units of every branch. For a program that computes some channels, also measures the
// remaining channels on the host. Of units with the same kind and configuration only the first is measured. `progress`
// receives the number of completed inferences and an upper bound for the total.
// Inputs are random: f32 in [-1, 1], integers 0 or 1. Allocates all memory itself and runs on the caller's thread.
// An accelerator is not measured further after a failed run. Errors: kInvalidArgument (no CPU among the units, or too
// many threads); kOutOfMemory; errors of Unit::prepare, of the host's runs, and of a failed run whose unit cannot be
// stopped.
Result<MeasuredCosts> measure_costs(
    std::shared_ptr<const Plan> plan, const UnitList& units, const MeasureOptions& options = {},
    FunctionRef<void(int64_t done, int64_t most)> progress = [](int64_t, int64_t) {});

}  // namespace nestrt
