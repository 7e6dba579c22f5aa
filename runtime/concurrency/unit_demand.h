// UnitDemand: what the sessions of a process know of each other: how much of a unit's time each wants while it runs.
// Those are meant that share units, the same objects.
//
// Threads: all members from any, but for runs of one session, which come one at a time. Nothing is allocated but by
// others() and when users come and go.
#pragma once

#include <atomic>
#include <cstdint>
#include <span>
#include <vector>

#include "nestrt/driver/mutex.h"
#include "nestrt/driver/schedule.h"
#include "nestrt/driver/unit.h"

namespace nestrt {

// By unit, the part of a run for which a schedule keeps it busy; nothing where times are not known.
std::vector<double> unit_shares(const Schedule& schedule, std::span<const UnitInfo> units);

// Whether units of which others want such shares are so busy that an inference waits for them: two sessions are not
// enough to keep them so, as each is now and then without work for one of them. `were`: they have been; a little less
// is enough then.
bool are_busy(std::span<const double> others, bool were);

class UnitDemand {
 public:
  // One that is urgent has others wait for it, and does not care what they want.
  explicit UnitDemand(const UnitList& units, bool is_urgent = false);
  ~UnitDemand();
  UnitDemand(const UnitDemand&) = delete;
  UnitDemand& operator=(const UnitDemand&) = delete;

  // What it wants of its units in its runs from now on.
  void wants(std::span<const double> shares);
  void begin_run() { is_running_.store(true, std::memory_order_relaxed); }
  // Looks at who else is running, and at what they want.
  void end_run();

  // By unit what others have wanted lately, if they are busy; else empty. Before the first run: what they want now.
  std::vector<double> others() const;
  // How often that has become empty or has ceased to be.
  uint64_t changes() const { return changes_.load(std::memory_order_relaxed); }

 private:
  double wanted_by_others(size_t unit, std::span<UnitDemand* const> users) const;

  const UnitList units_;
  const bool is_urgent_;
  std::atomic<bool> is_running_{false};
  std::atomic<uint64_t> changes_{0};
  // The rest is guarded by the lock of the list of users.
  std::vector<double> shares_;  // by unit
  std::vector<double> others_;  // likewise, a mean over the last runs
  bool has_run_ = false;
  bool are_busy_ = false;
};

}  // namespace nestrt
