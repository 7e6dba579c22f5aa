// Adaptation: keeps a session's schedule right while the board changes. On a thread of its own it tries units that have
// failed, and makes a new schedule where the times that are measured have moved away from those that the schedule was
// made for, or a unit fails or works again. The session swaps the new schedule in between two runs.
//
// Threads: run_ended() and swap() from the running thread, one at a time.
#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <optional>

#include "nestrt/clock.h"
#include "nestrt/mutex.h"
#include "nestrt/schedule.h"
#include "runtime/core/named_thread.h"
#include "runtime/session/prepared_schedule.h"
#include "runtime/session/probe_times.h"
#include "runtime/session/unit_health.h"

namespace nestrt {

struct AdaptationOptions {
  ScheduleOptions schedule;
  bool reschedules = true;  // else it only tries units that have failed
  double drift = 0.25;      // relative, of the sum of the steps' times
  std::chrono::milliseconds probe_interval{1000};
  std::shared_ptr<Clock> clock;  // null: the steady clock
};

class Adaptation {
 public:
  // What it is given outlives it. `measured`: of the units beside the host.
  Adaptation(const Plan& plan, const UnitList& units, Executables& executables, UnitHealth& health, CostTable costs,
             CostTable measured, const AdaptationOptions& options);
  ~Adaptation();

  // Errors: kUnavailable.
  Status start(const PreparedSchedule& current);

  // Allocates nothing.
  void run_ended(const PreparedSchedule& current);
  // Where a new schedule is ready, it takes the place of `current`, and that one goes.
  void swap(std::unique_ptr<PreparedSchedule>& current);
  // How often swap() has.
  uint64_t swaps() const { return swaps_.load(std::memory_order_relaxed); }

 private:
  void work();
  bool has_work() const NESTRT_REQUIRES(mutex_);
  void wait_for_work() NESTRT_REQUIRES(mutex_);
  void do_work() NESTRT_REQUIRES(mutex_);
  std::optional<SteadyClock::time_point> next_probe();
  void probe_failing_units();
  bool has_drifted(const PreparedSchedule& current) const;
  void request() NESTRT_EXCLUDES(mutex_);
  std::unique_ptr<PreparedSchedule> reschedule(const PreparedSchedule& current);
  void keep_times_of(const PreparedSchedule& current);
  void learn_from(const PreparedSchedule& current);

  const Plan& plan_;
  const UnitList& units_;
  Executables& executables_;
  UnitHealth& health_;
  CostTable costs_, measured_;  // used by the thread alone
  const AdaptationOptions options_;
  ProbeTimes probe_times_;  // used by the thread alone

  uint32_t runs_ = 0;            // since the last look at the drift
  uint64_t health_changes_ = 0;  // that the last request knew of
  std::atomic<uint64_t> swaps_{0};

  Mutex mutex_;
  Condition changed_;
  bool stopping_ NESTRT_GUARDED_BY(mutex_) = false;
  bool requested_ NESTRT_GUARDED_BY(mutex_) = false;
  const PreparedSchedule* current_ NESTRT_GUARDED_BY(mutex_) = nullptr;
  std::unique_ptr<PreparedSchedule> next_ NESTRT_GUARDED_BY(mutex_);
  std::unique_ptr<PreparedSchedule> retired_ NESTRT_GUARDED_BY(mutex_);
  std::atomic<bool> has_next_{false};

  NamedThread thread_;
};

}  // namespace nestrt
