// SPDX-License-Identifier: Apache-2.0
// UnitDemand: makes each session's demand visible to the other sessions of the process. The demand is the share of a
// unit's time that the session needs while it runs. Two sessions share a unit if both use the same Unit object.
//
// Threads: all members from any thread, except begin_run() and end_run(), which are called from one thread at a time.
// Only others() and the registration of sessions allocate.
#pragma once

#include <atomic>
#include <cstdint>
#include <span>
#include <vector>

#include "nestrt/driver/mutex.h"
#include "nestrt/driver/schedule.h"
#include "nestrt/driver/unit.h"

namespace nestrt {

// Returns, per unit, the share of a run during which `schedule` keeps it busy; all zeros if times are unknown.
std::vector<double> unit_shares(const Schedule& schedule, std::span<const UnitInfo> units);

// Returns whether the `demand` of other sessions, per unit, is high enough that an inference waits for its units. Two
// sessions are not enough, because each of them periodically has no work for one of the units. `was_contended` lowers
// the threshold (hysteresis).
bool is_contended(std::span<const double> demand, bool was_contended);

class UnitDemand {
 public:
  // An urgent session ignores the demand of other sessions, which wait for it.
  explicit UnitDemand(const UnitList& units, bool is_urgent = false);
  ~UnitDemand();
  UnitDemand(const UnitDemand&) = delete;
  UnitDemand& operator=(const UnitDemand&) = delete;

  // Sets the share of each unit's time that the following runs need.
  void set_demand(std::span<const double> shares);
  void begin_run() { is_running_.store(true, std::memory_order_relaxed); }
  // Also samples the demand of the other running sessions.
  void end_run();

  // Returns the recent demand of other sessions, per unit, or an empty vector if units are not contended. Before the
  // first run, returns their current demand.
  std::vector<double> others() const;
  // Returns how many times others() has become empty or non-empty.
  uint64_t changes() const { return changes_.load(std::memory_order_relaxed); }

 private:
  double demand_of_others(size_t unit, std::span<UnitDemand* const> sessions) const;

  const UnitList units_;
  const bool is_urgent_;
  std::atomic<bool> is_running_{false};
  std::atomic<uint64_t> changes_{0};
  // Guarded by the mutex of the registry.
  std::vector<double> shares_;  // per unit
  std::vector<double> others_;  // per unit: exponential mean over the runs
  bool has_run_ = false;
  bool is_contended_ = false;
};

}  // namespace nestrt
