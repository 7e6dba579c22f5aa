// SPDX-License-Identifier: Apache-2.0
// The busy time of each unit of a session, run by run.
#pragma once

#include <atomic>
#include <string>
#include <vector>

#include "nestrt/driver/unit.h"
#include "tools/support/text/json.h"
#include "tools/support/text/table.h"

namespace nestrt::command {

using tools::Json;

class UnitTimes {
 public:
  // Allocates all memory, so that observing runs does not allocate.
  UnitTimes(const UnitList& units, int runs);

  // Thread-safe.
  void step_done(const StepRecord& step);
  // `is_measured`: false for warm-up runs.
  void end_of_run(bool is_measured);

  // Returns one row per unit. The share is relative to the median run and may exceed 100 % if a unit has several lanes.
  tools::Table table(double median_run_ms) const;
  Json to_json() const;

 private:
  struct OfUnit {
    std::string name;
    std::atomic<int64_t> busy{0};  // clock ticks in this run
    std::atomic<uint32_t> steps{0};
    std::vector<double> busy_ms;  // by run
    double mean_steps = 0;
  };

  std::vector<OfUnit> units_;
};

}  // namespace nestrt::command
