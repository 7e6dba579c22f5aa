// SPDX-License-Identifier: Apache-2.0
// Adaptation: adapts a session's schedule and kernels to changes of the board. It collects the statistics of the runs.
// Its own thread probes failed units, asks the policies what to run next, and prepares it. The session switches to it
// between two runs.
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
#include "runtime/adaptation/unit_prober.h"
#include "runtime/concurrency/unit_demand.h"
#include "runtime/costs/measurement/cost_cache.h"
#include "runtime/execution/prepared_schedule.h"
#include "runtime/execution/unit_health.h"
#include "runtime/platform/named_thread.h"

namespace nestrt {

// Receives each schedule that comes into permanent use, together with the costs from which it was computed. Called on
// the adaptation thread, one call at a time.
using Adopted =
    std::function<void(const PreparedSchedule& schedule, const CostTable& costs, const CostTable& measured)>;

// A null policy has nothing to decide.
struct Policies {
  std::unique_ptr<SchedulePolicy> schedules;
  std::unique_ptr<KernelPolicy> kernels;
};

struct AdaptationSettings {
  std::chrono::milliseconds probe_interval{1000};
  std::shared_ptr<Clock> clock;            // null: the steady clock
  std::shared_ptr<const CostCache> cache;  // stores learned costs; null: costs are not stored
  Adopted adopted;                         // may be empty
  bool counts_load = false;                // a run is measured by the load of its busiest unit instead of its makespan
  UnitDemand* demand = nullptr;            // the session's demand; null: other sessions are ignored
};

class Adaptation {
 public:
  // The arguments must outlive this object. Without policies it only probes failed units. `measured` holds measured
  // costs of units other than the host.
  Adaptation(const Plan& plan, const UnitList& units, Executables& executables, UnitHealth& health, Policies policies,
             CostTable measured, const AdaptationSettings& options);
  ~Adaptation();

  // Errors: kUnavailable.
  Status start(std::shared_ptr<PreparedSchedule> current);

  // Records the end of a run of the schedule in use; `makespan_us` is 0 if the run failed. Does not allocate.
  void run_ended(const PreparedSchedule& current, double makespan_us);
  // Replaces `current` if another schedule is ready. Does not free memory.
  void swap(std::shared_ptr<PreparedSchedule>& current);
  // Stops the thread and stores learned costs, if any.
  void keep_costs();
  // Returns how many times another schedule was adopted permanently.
  uint64_t swaps() const { return swaps_.load(std::memory_order_relaxed); }

 private:
  // A schedule in use and its statistics.
  struct InUse {
    std::shared_ptr<PreparedSchedule> schedule;
    RunStatistics statistics;          // owned by the running thread
    RunStatistics snapshot;            // at the last request for a decision
    bool is_new = false;               // permanently replaces another schedule
    std::shared_ptr<InUse> then = {};  // for an exploring schedule: its successor
    bool explores_kernels = false;     // explores kernels instead of placement
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
  std::shared_ptr<InUse> decide(const InUse& asked);
  Result<std::shared_ptr<InUse>> make(SchedulePolicy::Move move);
  std::shared_ptr<InUse> decide_schedule(const RunStatistics& statistics);
  std::shared_ptr<InUse> decide_kernels(const InUse& asked);
  Result<std::shared_ptr<InUse>> make(KernelPolicy::Move move);
  Result<std::shared_ptr<PreparedSchedule>> prepare(const Schedule& schedule, const KernelNumbers& kernels);
  RunStatistics new_statistics(const Schedule& schedule) const;
  std::shared_ptr<InUse> use(std::shared_ptr<PreparedSchedule> schedule) const;
  void publish_due();
  void keep_step_times(const PreparedSchedule& current);

  const Plan& plan_;
  const UnitList& units_;
  Executables& executables_;
  UnitHealth& health_;
  const AdaptationSettings options_;

  // Only used by the adaptation thread once it has started.
  const std::unique_ptr<SchedulePolicy> policy_;
  const std::unique_ptr<KernelPolicy> kernels_;
  const double drift_;  // from the policy; const, so the running thread may read it
  CostTable measured_;
  UnitProber prober_;
  std::shared_ptr<InUse> main_;  // in use, except during exploration
  std::shared_ptr<PreparedSchedule> previous_;
  uint64_t failing_ = 0;  // as last reported to the policy

  // Only used by the running thread.
  std::vector<double> load_us_;  // per unit
  InUse* running_ = nullptr;
  uint64_t known_changes_ = 0;  // value of changes() at the last request

  std::atomic<uint64_t> swaps_{0};
  std::atomic<uint32_t> due_runs_{0};
  std::atomic<double> due_us_{0};

  Mutex mutex_;
  Condition changed_;
  bool stopping_ NESTRT_GUARDED_BY(mutex_) = false;
  bool requested_ NESTRT_GUARDED_BY(mutex_) = false;        // until the decision is made
  std::shared_ptr<InUse> asked_ NESTRT_GUARDED_BY(mutex_);  // the schedule whose snapshot awaits a decision
  std::shared_ptr<InUse> current_ NESTRT_GUARDED_BY(mutex_);
  std::shared_ptr<InUse> next_ NESTRT_GUARDED_BY(mutex_);
  std::shared_ptr<InUse> retired_ NESTRT_GUARDED_BY(mutex_);
  std::atomic<bool> has_next_{false};

  NamedThread thread_;
};

}  // namespace nestrt
