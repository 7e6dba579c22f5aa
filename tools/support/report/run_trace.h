// SPDX-License-Identifier: Apache-2.0
// Records runs as an observer and creates a trace of them.
#pragma once

#include <algorithm>
#include <atomic>
#include <span>
#include <string>
#include <vector>

#include "nestrt/session.h"
#include "tools/support/report/chrome_trace.h"

namespace nestrt::tools {

// Keeps a limited number of records and counts the rest. Allocates all memory in the constructor, so that observing
// runs does not allocate. Threads: observer functions as the session calls them; other members while no run is active.
class RunRecorder final : public RunObserver {
 public:
  enum class Kind : uint8_t { kRun, kStep, kOperator, kPhase };
  struct Record {
    Kind kind = Kind::kRun;
    Phase phase = Phase::kRun;    // for phases
    uint32_t operator_index = 0;  // for operators and phases
    uint32_t thread = 0;          // index of the reporting thread
    StepRecord step;              // for steps; other records use only start and end
  };

  // Reserves memory for `runs` runs of the plan.
  RunRecorder(const Plan& plan, int runs);

  void operator_done(uint32_t operator_index, Time start, Time end) override;
  void phase_done(uint32_t operator_index, Phase phase, Time start, Time end) override;
  void step_done(const StepRecord& step) override;
  void run_done(Time start, Time end);

  void clear() { count_ = 0; }
  std::span<const Record> records() const;
  size_t lost() const { return count_ - records().size(); }

 private:
  void add(Record record);

  std::vector<Record> records_;
  std::atomic<size_t> count_{0};
};

// Creates a track of runs and one for each lane with steps, waits, operators and phases. `units`: those of the session.
ChromeTrace trace_of(const RunRecorder& recorder, const Session& session, const UnitList& units);

}  // namespace nestrt::tools
