// SPDX-License-Identifier: Apache-2.0
// UnitQueue: the claims waiting for a unit that runs one program at a time. A running program is not interrupted, so
// the queue only decides the order.
//
// Urgent claims come first, then the earliest deadline (J. R. Jackson, Scheduling a Production Line to Minimize Maximum
// Tardiness, 1955), then the oldest claim. Between two urgent programs, the unit stays reserved for the second: other
// work begins only if, according to its known run times, it finishes before the second is due. If urgent work does not
// arrive when expected, other claims get the unit soon after. No claim starves. After kMaxPassed other claims have gone
// first, a claim gets the unit in the next gap that is about as wide as the widest that it has seen, where urgent work
// loses least. After twice that number, it precedes all other claims.
//
// The caller provides the time. Not thread-safe. Nothing is allocated.
#pragma once

#include <cstdint>

#include "nestrt/driver/event.h"

namespace nestrt::scheduler {

// A recurring claim on the unit, owned by the claimant. The queue records in it how long the claim held the unit and,
// for urgent work, the gap until the next urgent claim.
struct UnitClaim {
  bool urgent = false;
  Deadline deadline = kNoDeadline;
  // The remaining fields are managed by the queue. Each array contains the last two values; the longer time and the
  // shorter gap are used.
  SteadyClock::duration times[2] = {};
  SteadyClock::duration gaps[2] = {};
  uint32_t passed = 0;
  SteadyClock::duration widest_gap{};  // widest gap between urgent work seen while the claim waited
  UnitClaim* next = nullptr;
};

class UnitQueue {
 public:
  using Time = SteadyClock::time_point;
  static constexpr uint32_t kMaxPassed = 64;

  // Enqueues the claim.
  void add(UnitClaim& claim, Time now);
  // Dequeues the claim. Returns whether it was waiting.
  bool remove(const UnitClaim& claim);
  // Dequeues a claim that is about to be destroyed. Returns whether it was waiting.
  bool forget(const UnitClaim& claim);

  // Returns the claim that has waited longest, or null if none waits.
  UnitClaim* oldest() const { return first_; }
  // Returns the claim that should get the free unit, or null if none waits or none may begin before reserved_until().
  // The claim stays in the queue until begin().
  UnitClaim* next(Time now) const;
  Time reserved_until() const { return reserved_until_; }
  // begin() gives the unit to the claim and dequeues it; end() releases the unit.
  void begin(UnitClaim& claim, Time now);
  void end(UnitClaim& claim, Time now);

 private:
  bool may_begin(const UnitClaim& claim, Time now) const;
  bool is_starving(const UnitClaim& claim) const;
  bool is_before(const UnitClaim& a, const UnitClaim& b) const;
  // Returns the expected gap after the urgent work that has just ended, or 0 while urgent work waits or runs.
  SteadyClock::duration gap() const;

  UnitClaim* first_ = nullptr;  // in order of arrival
  Time begun_;
  UnitClaim* last_urgent_ = nullptr;  // last to end; null once urgent work has arrived again
  Time last_urgent_end_;
  Time due_ = Time::min();  // when urgent work is expected next
  Time reserved_until_ = Time::min();
};

}  // namespace nestrt::scheduler
