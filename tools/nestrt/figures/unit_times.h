// How long each unit of a session was busy, run by run.
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
  // Takes all its memory at once, so that it may watch runs.
  UnitTimes(const UnitList& units, int runs);

  // From any thread.
  void step_done(const StepRecord& step);
  // Of a run that counts, or of one that does not.
  void end_of_run(bool counts);

  // A row for each unit; its share is of the median of the runs, which may be more than all where a unit has several
  // lanes.
  tools::Table table(double median_run_ms) const;
  Json to_json() const;

 private:
  struct OfUnit {
    std::string name;
    std::atomic<int64_t> busy{0};  // ticks of the clock, in this run
    std::atomic<uint32_t> steps{0};
    std::vector<double> busy_ms;  // by run
    double mean_steps = 0;
  };

  std::vector<OfUnit> units_;
};

}  // namespace nestrt::command
