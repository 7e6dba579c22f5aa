// SPDX-License-Identifier: Apache-2.0
#include "tools/support/report/run_trace.h"

#include <algorithm>
#include <map>
#include <set>

#include "nestrt/driver/plan_tables.h"
#include "nestrt/driver/schedule.h"

namespace nestrt::tools {
namespace {

using Record = RunRecorder::Record;
using Kind = RunRecorder::Kind;

// Per operator and run, in addition to one record per run. An upper bound for operators split over several units, with
// their phases and steps.
constexpr size_t kRecordsPerOperator = 16;
constexpr double kShortestWait = 1;  // microseconds; shorter gaps are the executor's own work

uint32_t this_thread() {
  static std::atomic<uint32_t> threads{0};
  thread_local const uint32_t number = threads++;
  return number;
}

class TraceBuilder {
 public:
  TraceBuilder(const RunRecorder& recorder, const Session& session, const UnitList& units)
      : records_(recorder.records()), operators_(session.operators()) {
    for (const Lane& lane : session.schedule().lanes) lanes_.push_back(&units[lane.unit]->info());
    const auto& branches = session.plan().tables().branches;
    branch_of_.resize(operators_.size());
    for (uint32_t branch = 0; branch < branches.size(); ++branch)
      for (uint32_t op : branches[branch].operators) branch_of_[op] = branch;
    for (const Record& record : records_) {
      if (record.kind == Kind::kStep) steps_[record.step.branch].push_back(&record);
      if (record.kind == Kind::kPhase) unit_threads_.insert(record.thread);
      origin_ = std::min(origin_, record.kind == Kind::kStep ? record.step.ready : record.step.start);
    }
  }

  ChromeTrace build() {
    runs_ = trace_.add_track("session", "runs");
    for (size_t lane = 0; lane < lanes_.size(); ++lane)
      lane_tracks_.push_back(trace_.add_track("units", lane_name(lane)));
    for (const Record& record : records_) add(record);
    return std::move(trace_);
  }

 private:
  // Numbers the lanes of a unit with several.
  std::string lane_name(size_t lane) const {
    const bool alone = std::count(lanes_.begin(), lanes_.end(), lanes_[lane]) == 1;
    return alone ? lanes_[lane]->name : lanes_[lane]->name + " lane " + std::to_string(lane);
  }

  double microseconds(RunObserver::Time time) const {
    return std::chrono::duration<double, std::micro>(time - origin_).count();
  }

  void add(uint32_t track, const Record& record, std::string name, const char* category, Json details = nullptr) {
    trace_.add({track, std::move(name), category, microseconds(record.step.start), microseconds(record.step.end),
                std::move(details)});
  }

  void add(const Record& record) {
    switch (record.kind) {
      case Kind::kRun:
        return add(runs_, record, "run " + std::to_string(++num_runs_), "run");
      case Kind::kStep:
        return add_step(record);
      case Kind::kOperator:
        return add_operator(record);
      case Kind::kPhase:
        return add(track_of(record), record, std::string(name(record.phase)), "phase");
    }
  }

  void add_step(const Record& record) {
    const StepRecord& step = record.step;
    Json details{{"step", step.step}, {"branch", step.branch}};
    if (step.is_host_fallback) details.set("host_fallback", true);
    add(lane_track(step.lane), record, "branch " + std::to_string(step.branch), "step", std::move(details));
    const double ready = microseconds(step.ready), start = microseconds(step.start);
    if (start - ready >= kShortestWait) trace_.add({lane_track(step.lane), "wait", "wait", ready, start, nullptr});
  }

  void add_operator(const Record& record) {
    const OperatorSummary& op = operators_[record.operator_index];
    add(track_of(record), record, std::string(op.name), "operator",
        {{"operator", record.operator_index}, {"kind", op.kind}, {"branch", branch_of_[record.operator_index]}});
  }

  // A schedule that replaced the recorded one may have fewer lanes.
  uint32_t lane_track(uint32_t lane) {
    while (lane >= lane_tracks_.size())
      lane_tracks_.push_back(trace_.add_track("units", "lane " + std::to_string(lane_tracks_.size())));
    return lane_tracks_[lane];
  }

  // A failed run may have no step.
  uint32_t track_of(const Record& record) {
    const Record* const step = step_of(record);
    return step != nullptr ? lane_track(step->step.lane) : runs_;
  }

  // Returns the step to which an operator or phase belongs: the step of its branch at that time. If two steps compute
  // one operator concurrently, threads that report phases belong to accelerators.
  const Record* step_of(const Record& record) const {
    const auto found = steps_.find(branch_of_[record.operator_index]);
    if (found == steps_.end()) return nullptr;
    const bool on_host = unit_threads_.count(record.thread) == 0;
    const Record* best = nullptr;
    for (const Record* candidate : found->second) {
      const StepRecord& step = candidate->step;
      if (step.start > record.step.start || step.end < record.step.end) continue;
      best = candidate;
      if (step.lane < lanes_.size() && lanes_[step.lane]->is_host == on_host) return candidate;
    }
    return best;
  }

  const std::span<const Record> records_;
  const std::vector<OperatorSummary> operators_;
  std::vector<const UnitInfo*> lanes_;
  std::vector<uint32_t> branch_of_;                       // by operator
  std::map<uint32_t, std::vector<const Record*>> steps_;  // by branch
  std::set<uint32_t> unit_threads_;
  RunObserver::Time origin_ = RunObserver::Time::max();

  ChromeTrace trace_;
  uint32_t runs_ = 0;
  uint64_t num_runs_ = 0;
  std::vector<uint32_t> lane_tracks_;
};

}  // namespace

RunRecorder::RunRecorder(const Plan& plan, int runs)
    : records_(static_cast<size_t>(runs) * (1 + kRecordsPerOperator * plan.tables().operators.size())) {}

void RunRecorder::operator_done(uint32_t operator_index, Time start, Time end) {
  Record record;
  record.kind = Kind::kOperator;
  record.operator_index = operator_index;
  record.step.start = start;
  record.step.end = end;
  add(record);
}

void RunRecorder::phase_done(uint32_t operator_index, Phase phase, Time start, Time end) {
  Record record;
  record.kind = Kind::kPhase;
  record.phase = phase;
  record.operator_index = operator_index;
  record.step.start = start;
  record.step.end = end;
  add(record);
}

void RunRecorder::step_done(const StepRecord& step) {
  Record record;
  record.kind = Kind::kStep;
  record.step = step;
  add(record);
}

void RunRecorder::run_done(Time start, Time end) {
  Record record;
  record.step.start = start;
  record.step.end = end;
  add(record);
}

std::span<const RunRecorder::Record> RunRecorder::records() const {
  return std::span(records_).first(std::min(count_.load(), records_.size()));
}

void RunRecorder::add(Record record) {
  record.thread = this_thread();
  const size_t index = count_.fetch_add(1, std::memory_order_relaxed);
  if (index < records_.size()) records_[index] = record;
}

ChromeTrace trace_of(const RunRecorder& recorder, const Session& session, const UnitList& units) {
  return TraceBuilder(recorder, session, units).build();
}

}  // namespace nestrt::tools
