// UnitQueue: what waits for a unit that runs one program at a time, and which of it is next. A program that runs is not
// interrupted, so that the order of those that wait is all there is to decide.
//
// Urgent work is first, then that with the earliest deadline (J. R. Jackson, Scheduling a Production Line to Minimize
// Maximum Tardiness, 1955), then what came first. Between two programs of urgent work the unit is kept free for the
// second: other work begins only if it will be over by then, as far as is known from runs before. Where urgent work
// does not come when it is expected, others have the unit soon after. Nobody waits for ever: who has been passed
// kMaxPassed times has the unit in the next gap as wide as the widest that it has seen, where urgent work loses least,
// and next of all once it has been passed as often again.
//
// Time is what the caller says it is. Threads: one at a time. Nothing is allocated.
#pragma once

#include <cstdint>

#include "nestrt/driver/event.h"

namespace nestrt::scheduler {

// Something that wants the unit again and again, and belongs to who wants it. The queue remembers there how long it
// took, and, of urgent work, how long after it urgent work came again.
struct UnitClaim {
  bool urgent = false;
  Deadline deadline = kNoDeadline;
  // The rest is the queue's. Of each, what was seen last and before: the longer time and the shorter gap count.
  SteadyClock::duration times[2] = {};
  SteadyClock::duration gaps[2] = {};
  uint32_t passed = 0;
  SteadyClock::duration widest_gap{};  // expected in urgent work while it waited
  UnitClaim* next = nullptr;
};

class UnitQueue {
 public:
  using Time = SteadyClock::time_point;
  static constexpr uint32_t kMaxPassed = 64;

  // The claim waits from now on.
  void add(UnitClaim& claim, Time now);
  // It does not wait any more; whether it did.
  bool remove(const UnitClaim& claim);
  // The same of one that will not come back, for who destroys it.
  bool forget(const UnitClaim& claim);

  // Who has waited longest; null where nobody waits.
  UnitClaim* oldest() const { return first_; }
  // Who is to have the unit, which is free; null where nobody waits, or none of those who wait may begin before
  // kept_until(). It goes on waiting until begin().
  UnitClaim* next(Time now) const;
  Time kept_until() const { return kept_until_; }
  // It has the unit, and waits no more; it has had it.
  void begin(UnitClaim& claim, Time now);
  void end(UnitClaim& claim, Time now);

 private:
  bool may_begin(const UnitClaim& claim, Time now) const;
  bool is_starving(const UnitClaim& claim) const;
  bool is_before(const UnitClaim& a, const UnitClaim& b) const;
  // Expected after the urgent work that has just ended; none while urgent work waits or runs.
  SteadyClock::duration gap() const;

  UnitClaim* first_ = nullptr;  // in the order in which they came
  Time begun_;
  UnitClaim* last_urgent_ = nullptr;  // that has ended; null once urgent work has come again
  Time last_urgent_end_;
  Time due_ = Time::min();  // when urgent work is expected
  Time kept_until_ = Time::min();
};

}  // namespace nestrt::scheduler
