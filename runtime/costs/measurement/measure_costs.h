// What the operators of a plan cost on the units at hand, measured.
//
// Whole inferences are run, each with every branch that a unit can compute on that unit, so that an operator finds its
// caches as it would in use. Of one operator's times the median is its cost.
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
  std::vector<int> threads;  // numbers of the host's threads, each up to its own; empty: 1, 2, 4 ... and all of them
  int warmup = 2;            // inferences that do not count
  int min_runs = 7;
  int max_runs = 200;
  // Enough was measured when the 95 % confidence interval of every median reaches no further from it than this part of
  // it, or than a microsecond.
  double precision = 0.03;
  // For each way to run the plan; after all of it measurement ends with what precision it has.
  std::chrono::milliseconds limit{20'000};
  // For all ways together, however many there are; after it every way is run once at least, and no more.
  std::chrono::milliseconds total_limit{3'600'000};
  std::chrono::milliseconds unit_timeout{10'000};  // a unit beside the host that takes longer for a branch has failed
  std::vector<const plan::Program*> left_out;      // refused by their units (UnitInfo::refused)
};

// The times of one work on one unit. Those beyond the quartiles by three times their distance are outliers: they count
// for the median like any other, which they hardly move.
struct WorkTimes {
  UnitKey unit;
  std::string work;
  std::string name;  // its first operator's
  uint32_t branch = 0;
  ChannelRange channels;
  int runs = 0;
  int outliers = 0;
  double median_us = 0;
  double first_quartile_us = 0;
  double third_quartile_us = 0;
  double error_us = 0;  // half of the confidence interval
};

// A unit beside the host that failed while it was measured.
struct FailedUnit {
  uint32_t unit = 0;  // its place in the list of units
  Status why;
};

struct MeasuredCosts {
  CostTable costs;
  std::vector<WorkTimes> works;    // in file order, unit by unit
  std::vector<FailedUnit> failed;  // nothing is known of them
};

// Measures, for every branch, all of its programs for the units; and where a program computes a part of the channels,
// the rest on the host. Of units of the same kind and configuration the first is measured. `progress` is told of each
// inference, and of how many there are at most.
// Inputs are random: f32 in [-1, 1], integers 0 or 1. Allocates all it needs, and runs on the caller's thread.
// A unit beside the host whose run fails is measured no further. Errors: kInvalidArgument (no CPU among the units, a
// number of threads that it has not); those of Unit::prepare, of the host's runs, and of the run of a unit that cannot
// be stopped; kOutOfMemory.
Result<MeasuredCosts> measure_costs(
    std::shared_ptr<const Plan> plan, const UnitList& units, const MeasureOptions& options = {},
    FunctionRef<void(int64_t done, int64_t most)> progress = [](int64_t, int64_t) {});

}  // namespace nestrt
