// Executor: runs prepared schedules, one at a time. The lanes of the host on the calling thread and, where they are
// side by side, on threads of the host's own, section by section; every other lane on a thread of its own, which sleeps
// between runs. What a unit beside the host fails to compute, the host computes in its place.
//
// Steps that need no other lane run without a word to it; the others wait for a number that the awaited step sets: a
// short while awake, then asleep. Nothing is allocated on success.
// Threads: run() from one thread at a time; cancel() and the counters from any.
#pragma once

#include <atomic>
#include <chrono>
#include <deque>
#include <memory>
#include <span>
#include <vector>

#include "nestrt/driver/mutex.h"
#include "nestrt/session.h"
#include "runtime/concurrency/unit_arbiter.h"
#include "runtime/core/clock.h"
#include "runtime/execution/prepared_schedule.h"
#include "runtime/execution/step_timeout.h"
#include "runtime/execution/unit_health.h"
#include "runtime/plan/queries/run_memory.h"
#include "runtime/platform/named_thread.h"

namespace nestrt {

struct ExecutorOptions {
  RunObserver* observer = nullptr;
  UnitLimits limits;
  bool urgent = false;
  std::shared_ptr<Clock> clock;         // null: the steady clock
  std::shared_ptr<UnitArbiters> turns;  // null: units are everybody's
};

class Executor {
 public:
  Executor(const ExecutorOptions& options, UnitHealth& health);
  ~Executor();

  // Threads for schedules with so many lanes beside those of the host. Errors: kUnavailable.
  Status reserve_unit_lanes(size_t lanes);

  struct Run {
    RunMemory* memory = nullptr;  // bound to inputs and outputs
    Deadline deadline = kNoDeadline;
    uint64_t turn = 0;
    bool checks = false;  // the host computes again what other units have computed, and what differs is a failure
  };

  // Requires: threads for the schedule's unit_lanes(). Errors: those of the units; kDeadlineExceeded, kCancelled. Where
  // a unit failed and the memory is not safe any more, the run has to begin again in other memory.
  Status run(PreparedSchedule& schedule, const Run& run);

  // Ends the run in progress, if there is one, with kCancelled.
  void cancel();

  // Of all units, in the last run.
  Traffic traffic() const { return {copied_.load(), handed_over_.load()}; }

 private:
  struct alignas(64) LaneThread {
    std::atomic<uint64_t> run{0};  // the last run that it was asked to take part in
    NamedThread thread;
  };
  // What cancel() has to know of a lane.
  struct Submitted {
    Mutex mutex;
    Executable* executable NESTRT_GUARDED_BY(mutex) = nullptr;
    uint64_t generation NESTRT_GUARDED_BY(mutex) = 0;
  };
  void serve(size_t thread, const std::atomic<uint64_t>& run);
  void trust_units();
  Status run_in_order();
  Status run_in_lanes();
  void run_section(const Section& section);
  void run_steps(std::span<PreparedStep* const> steps);
  void await(const PreparedStep& step, Turn& turn) const;
  SteadyClock::time_point now() const { return now_by(options_.clock.get()); }
  Deadline deadline_after(std::chrono::milliseconds time) const;
  bool has_failed() const { return failed_.load(std::memory_order_acquire); }
  void fail(Status status);
  Status failure();  // the first; ok where there is none

  // `ready`: since when the lane could have run it. `turn`: the lane's.
  Status run_step(PreparedStep& step, SteadyClock::time_point ready, Turn& turn);
  Status compute(PreparedStep& step, Turn& turn, bool* healed);
  Status heal(PreparedStep& step, const Status& why, Turn& turn, bool* healed);
  StepTimeout step_timeout(const PreparedStep& step) const;
  bool goes_past_unit(const PreparedStep& step, const StepTimeout& patience);
  Status run_on_unit(PreparedStep& step, const StepTimeout& patience, bool is_checked);
  // Why the unit did not compute the step.
  Status explain(const PreparedStep& step, const StepTimeout& patience, const Status& status) const;
  Status miss_deadline(const PreparedStep& step, const StepTimeout& patience, const Status& status);
  void note_results(const PreparedStep& step);
  // The hash of the right results, where the unit has to write them then.
  Result<uint64_t> expect_results(PreparedStep& step, Turn& turn);
  Status heal_wrong_results(PreparedStep& step, Turn& turn, bool* healed);
  Status run_on_host(const PreparedStep& step, Executable& executable);
  Submission submission_of(const PreparedStep& step) const;
  template <typename Visit>
  void for_each_result(const PreparedStep& step, const Visit& visit) const;
  uint64_t hash_of_results(const PreparedStep& step) const;
  void report(const PreparedStep& step, SteadyClock::time_point ready, SteadyClock::time_point start,
              bool healed) const;

  const ExecutorOptions options_;
  const std::chrono::microseconds spin_;  // awake before it sleeps
  UnitHealth& health_;
  std::deque<LaneThread> threads_;   // for the lanes beside those of the host
  std::deque<Submitted> submitted_;  // by PreparedStep::thread
  std::atomic<bool> stopping_{false};

  PreparedSchedule* schedule_ = nullptr;  // the run in progress goes by it
  Run run_;
  bool host_is_in_time_ = false;  // the host alone, from the beginning, would meet the run's deadline
  std::atomic<uint64_t> number_{0};
  std::atomic<size_t> running_lanes_{0};  // lanes on threads
  std::atomic<uint64_t> copied_{0}, handed_over_{0};
  Mutex cancel_mutex_;  // a run does not begin while the one before it is cancelled, whose submissions would be its own
  std::atomic<bool> cancelled_{false};
  std::atomic<bool> failed_{false};
  std::atomic<bool> healed_{false};  // some step of the run
  Mutex failure_mutex_;
  Status failure_ NESTRT_GUARDED_BY(failure_mutex_);
};

}  // namespace nestrt
