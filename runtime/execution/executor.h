// SPDX-License-Identifier: Apache-2.0
// Executor: runs prepared schedules, one at a time, section by section. The lanes of the host run on the calling thread
// and, if several run concurrently, on threads of the host. Every other lane has its own thread, which sleeps between
// runs. If another unit fails a step, the host runs it.
//
// A step that depends on another lane waits for a number published by the awaited step: it spins briefly, then sleeps.
// All other steps run without synchronization. Nothing is allocated on success. Threads: run() from one thread at a
// time; cancel() and the counters from any.
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
  std::shared_ptr<Clock> clock;            // null: the steady clock
  std::shared_ptr<UnitArbiters> arbiters;  // null: units are not arbitrated
};

class Executor {
 public:
  Executor(const ExecutorOptions& options, UnitHealth& health);
  ~Executor();

  // Starts the threads needed for up to `lanes` lanes of units other than the host. Errors: kUnavailable.
  Status reserve_unit_lanes(size_t lanes);

  struct Run {
    RunMemory* memory = nullptr;  // bound to inputs and outputs
    Deadline deadline = kNoDeadline;
    uint64_t inference = 0;  // number within a pipeline, for unit arbitration
    bool checks = false;     // the host recomputes the steps of other units; a difference counts as a failure
  };

  // Requires: threads for the schedule's unit_lanes(). Errors: errors of the units; kDeadlineExceeded, kCancelled. If a
  // unit failed and the memory is no longer safe, the run must be repeated in other memory.
  Status run(PreparedSchedule& schedule, const Run& run);

  // Ends the run in progress, if any, with kCancelled.
  void cancel();

  // Returns the traffic of all units in the last run.
  Traffic traffic() const { return {copied_bytes_.load(), shared_memory_bytes_.load()}; }

 private:
  struct alignas(64) LaneThread {
    std::atomic<uint64_t> run{0};  // number of the last run for which it was started
    NamedThread thread;
  };
  // A lane's submission in progress, for cancel().
  struct Submitted {
    Mutex mutex;
    Executable* executable NESTRT_GUARDED_BY(mutex) = nullptr;
    uint64_t generation NESTRT_GUARDED_BY(mutex) = 0;
  };
  void serve(size_t thread, const std::atomic<uint64_t>& run);
  void record_complete_run();
  Status run_in_order();
  Status run_in_lanes();
  void run_section(const Section& section);
  void run_steps(std::span<PreparedStep* const> steps);
  void await(const PreparedStep& step, UnitLease& lease) const;
  SteadyClock::time_point now() const { return now_by(options_.clock.get()); }
  Deadline deadline_after(std::chrono::milliseconds time) const;
  bool has_failed() const { return failed_.load(std::memory_order_acquire); }
  void fail(Status status);
  Status failure();  // first failure of the run, or ok

  // `ready` is the time at which the lane became ready to run the step.
  Status run_step(PreparedStep& step, SteadyClock::time_point ready, UnitLease& lease);
  Status run_on_unit_or_host(PreparedStep& step, UnitLease& lease, bool* used_host);
  Status fall_back_to_host(PreparedStep& step, const Status& why, UnitLease& lease, bool* used_host);
  StepTimeout step_timeout(const PreparedStep& step) const;
  bool should_bypass_unit(const PreparedStep& step, const StepTimeout& timeout);
  Status run_on_unit(PreparedStep& step, const StepTimeout& timeout, bool is_checked);
  // Adds the reason why the unit did not complete the step.
  Status explain(const PreparedStep& step, const StepTimeout& timeout, const Status& status) const;
  Status record_missed_deadline(const PreparedStep& step, const StepTimeout& timeout, const Status& status);
  void record_results(const PreparedStep& step);
  // Runs the step on the host, returns the hash of its results, and overwrites the results.
  Result<uint64_t> compute_expected_hash(PreparedStep& step, UnitLease& lease);
  Status recover_from_wrong_results(PreparedStep& step, UnitLease& lease, bool* used_host);
  Status execute_on_host(const PreparedStep& step, Executable& executable);
  Submission submission_of(const PreparedStep& step) const;
  template <typename Visit>
  void for_each_result(const PreparedStep& step, const Visit& visit) const;
  uint64_t hash_of_results(const PreparedStep& step) const;
  void report(const PreparedStep& step, SteadyClock::time_point ready, SteadyClock::time_point start,
              bool is_host_fallback) const;

  const ExecutorOptions options_;
  const std::chrono::microseconds spin_;  // how long a waiting thread spins before it sleeps
  UnitHealth& health_;
  std::deque<LaneThread> threads_;   // for lanes of units other than the host
  std::deque<Submitted> submitted_;  // indexed by PreparedStep::thread
  std::atomic<bool> stopping_{false};

  PreparedSchedule* schedule_ = nullptr;  // schedule of the run in progress
  Run run_;
  bool host_is_in_time_ = false;  // the deadline would be met if the host alone ran all steps
  std::atomic<uint64_t> number_{0};
  std::atomic<size_t> running_lanes_{0};  // number of lanes running on threads
  std::atomic<uint64_t> copied_bytes_{0}, shared_memory_bytes_{0};
  Mutex cancel_mutex_;  // keeps cancel() of one run from cancelling submissions of the next
  std::atomic<bool> cancelled_{false};
  std::atomic<bool> failed_{false};
  std::atomic<bool> has_host_fallback_{false};  // for any step of the run
  Mutex failure_mutex_;
  Status failure_ NESTRT_GUARDED_BY(failure_mutex_);
};

}  // namespace nestrt
