// Runs as they happened: what an observer records of them, and the trace that it makes.
#pragma once

#include <algorithm>
#include <atomic>
#include <span>
#include <string>
#include <vector>

#include "nestrt/session.h"
#include "tools/support/report/chrome_trace.h"

namespace nestrt::tools {

// Keeps what a session tells it, up to a number of records; the rest is counted. Memory is taken at once, so that it
// may watch runs. Threads: as the session calls it; the other members while nothing runs.
class RunRecorder final : public RunObserver {
 public:
  enum class Kind : uint8_t { kRun, kStep, kOperator, kPhase };
  struct Record {
    Kind kind = Kind::kRun;
    Phase phase = Phase::kRun;    // where it is a phase
    uint32_t operator_index = 0;  // where it is an operator or a phase
    uint32_t thread = 0;          // that told of it: 0, 1, ...
    StepRecord step;              // a step; of the others start and end only
  };

  // Has room for so many runs of the plan.
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

// A track of runs and one for each lane: steps and waits, in the steps operators, in these phases. `units` are those
// that the session was given.
ChromeTrace trace_of(const RunRecorder& recorder, const Session& session, const UnitList& units);

}  // namespace nestrt::tools
