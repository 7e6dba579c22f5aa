// Adaptation: keeps a session's schedule right while the board changes. It measures the runs, and on a thread of its
// own tries units that have failed, asks the policy (schedule_policy.h) what to run next, and prepares that. The
// session swaps it in between two runs.
//
// Threads: run_ended() and swap() from the running thread, one at a time.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>

#include "nestrt/driver/clock.h"
#include "nestrt/driver/mutex.h"
#include "runtime/adaptation/kernel_policy.h"
#include "runtime/adaptation/run_statistics.h"
#include "runtime/adaptation/schedule_policy.h"
#include "runtime/concurrency/unit_demand.h"
#include "runtime/costs/measurement/cost_cache.h"
#include "runtime/execution/prepared_schedule.h"
#include "runtime/execution/probe_times.h"
#include "runtime/execution/unit_health.h"
#include "runtime/platform/named_thread.h"

namespace nestrt {

// Told of a schedule that came into use for good, and of the costs that it was made from: on another thread than the
// runs', and not while it is told of another.
using Adopted =
    std::function<void(const PreparedSchedule& schedule, const CostTable& costs, const CostTable& measured)>;

// Null where nothing is to be decided.
struct Policies {
  std::unique_ptr<SchedulePolicy> schedules;
  std::unique_ptr<KernelPolicy> kernels;
};

struct AdaptationSettings {
  std::chrono::milliseconds probe_interval{1000};
  std::shared_ptr<Clock> clock;            // null: the steady clock
  std::shared_ptr<const CostCache> cache;  // what was learned goes there; null: nowhere
  Adopted adopted;                         // may be empty
  bool counts_load = false;                // of a run what its busiest unit took, in place of how long it was
  UnitDemand* demand = nullptr;            // the session; null: others do not matter
};

class Adaptation {
 public:
  // What it is given outlives it. Without policies, null, it only tries units that have failed. `measured`: of the
  // units beside the host.
  Adaptation(const Plan& plan, const UnitList& units, Executables& executables, UnitHealth& health, Policies policies,
             CostTable measured, const AdaptationSettings& options);
  ~Adaptation();

  // Errors: kUnavailable.
  Status start(std::shared_ptr<PreparedSchedule> current);

  // A run of the schedule in use has ended; in failure where it took no time. Allocates nothing.
  void run_ended(const PreparedSchedule& current, double makespan_us);
  // Where another schedule is ready, it takes the place of `current`. Frees nothing.
  void swap(std::shared_ptr<PreparedSchedule>& current);
  // Stops the thread, and keeps what was learned, if anything was.
  void keep_costs();
  // How often another schedule has come into use, but for those that only explore.
  uint64_t swaps() const { return swaps_.load(std::memory_order_relaxed); }

 private:
  // A schedule in use, with what is measured of it.
  struct InUse {
    std::shared_ptr<PreparedSchedule> schedule;
    RunStatistics statistics;          // of the running thread
    RunStatistics snapshot;            // as they were when the policy was asked
    bool is_new = false;               // it takes the place of another, and not to explore
    std::shared_ptr<InUse> then = {};  // of one that explores: what comes after it
    bool tries_kernels = false;        // it explores kernels, not where work belongs
  };

  bool decides() const { return policy_ != nullptr || kernels_ != nullptr; }

  void measure(const PreparedSchedule& current, double makespan_us);
  double load_us(const PreparedSchedule& current);
  bool is_due() const;
  uint64_t changes() const;
  void request(uint64_t changes) NESTRT_EXCLUDES(mutex_);
  bool has_explored() const;

  void stop();
  void work();
  bool has_work() const NESTRT_REQUIRES(mutex_);
  void wait_for_work() NESTRT_REQUIRES(mutex_);
  void do_work() NESTRT_REQUIRES(mutex_);
  std::optional<SteadyClock::time_point> next_probe();
  void probe_failing_units();
  std::shared_ptr<InUse> decide(const InUse& asked);
  Result<std::shared_ptr<InUse>> make(SchedulePolicy::Move move);
  std::shared_ptr<InUse> decide_schedule(const RunStatistics& statistics);
  std::shared_ptr<InUse> decide_kernels(const InUse& asked);
  Result<std::shared_ptr<InUse>> make(KernelPolicy::Move move);
  Result<std::shared_ptr<PreparedSchedule>> prepare(const Schedule& schedule, const KernelNumbers& kernels);
  RunStatistics new_statistics(const Schedule& schedule) const;
  std::shared_ptr<InUse> use(std::shared_ptr<PreparedSchedule> schedule) const;
  void publish_due();
  void keep_times_of(const PreparedSchedule& current);

  const Plan& plan_;
  const UnitList& units_;
  Executables& executables_;
  UnitHealth& health_;
  const AdaptationSettings options_;

  // Of the thread alone, once it has started.
  const std::unique_ptr<SchedulePolicy> policy_;
  const std::unique_ptr<KernelPolicy> kernels_;
  const double drift_;  // the policy's; of the running thread as well
  CostTable measured_;
  ProbeTimes probe_times_;
  std::shared_ptr<InUse> main_;  // in use, but while another explores
  std::shared_ptr<PreparedSchedule> previous_;
  uint64_t failing_ = 0;  // that the policy knows of

  // Of the running thread.
  std::vector<double> load_us_;  // by unit
  InUse* running_ = nullptr;
  uint64_t known_changes_ = 0;  // of units and of who uses them, that the last request knew of

  std::atomic<uint64_t> swaps_{0};
  std::atomic<uint32_t> due_runs_{0};
  std::atomic<double> due_us_{0};

  Mutex mutex_;
  Condition changed_;
  bool stopping_ NESTRT_GUARDED_BY(mutex_) = false;
  bool requested_ NESTRT_GUARDED_BY(mutex_) = false;        // until it has been decided
  std::shared_ptr<InUse> asked_ NESTRT_GUARDED_BY(mutex_);  // whose snapshot is to be decided on
  std::shared_ptr<InUse> current_ NESTRT_GUARDED_BY(mutex_);
  std::shared_ptr<InUse> next_ NESTRT_GUARDED_BY(mutex_);
  std::shared_ptr<InUse> retired_ NESTRT_GUARDED_BY(mutex_);
  std::atomic<bool> has_next_{false};

  NamedThread thread_;
};

}  // namespace nestrt
