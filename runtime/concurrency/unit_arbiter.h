// Turns at a unit: one at a time, and of those who wait the one first who will be done there soonest. So a unit that
// waits for what a short visit elsewhere makes does not wait for a long one ("shortest remaining processing time":
// L. Schrage, A proof of the optimality of the shortest remaining processing time discipline, 1968). Nobody waits for
// ever, as a pipeline has only so many inferences, and each of them gets on.
//
// Threads: all members from any thread. Nothing is allocated.
#pragma once

#include <compare>
#include <cstdint>
#include <deque>

#include "nestrt/driver/mutex.h"

namespace nestrt {

// Who wants a turn: for how long, as predicted, and, where that is the same, the oldest inference first.
struct Claim {
  double visit_us = 0;
  uint64_t number = 0;
  auto operator<=>(const Claim&) const = default;
};

class Turns {
 public:
  void enter(const Claim& claim);
  void leave();
  // For one who has a turn: after whoever waits with a smaller claim.
  void yield_to_shorter(const Claim& claim);

 private:
  // On the stack of the thread that waits. Each is woken by itself: a crowd would take longer to find out who is next.
  struct Waiter {
    Claim claim;
    bool is_called = false;
    Condition called;
    Waiter* next = nullptr;
  };

  void wait(const Claim& claim) NESTRT_REQUIRES(mutex_);
  void call_first() NESTRT_REQUIRES(mutex_);

  Mutex mutex_;
  bool is_taken_ NESTRT_GUARDED_BY(mutex_) = false;
  Waiter* first_ NESTRT_GUARDED_BY(mutex_) = nullptr;  // by claim; only where it is taken
};

// The turns at the units of sessions that have the inferences of one pipeline.
class UnitArbiters {
 public:
  explicit UnitArbiters(size_t units) : units_(units) {}

  Turns& host() { return host_; }
  Turns& of_unit(uint32_t unit) { return units_[unit]; }

 private:
  Turns host_;
  std::deque<Turns> units_;  // beside the host, by their place in the list of units
};

// The turn that a lane has, at one unit at a time, at the latest until its end. It is kept from step to step:
// inferences that alternate on one unit end there at the same time, and then all want the next.
class Turn {
 public:
  // `units`: null where units are everybody's.
  Turn(UnitArbiters* units, uint64_t number) : units_(units), number_(number) {}
  ~Turn() { leave(); }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;

  // They wait as long as another has the turn; where it is one's own already, only if a smaller claim waits.
  void take_host(double visit_us) {
    if (units_ != nullptr) take(units_->host(), visit_us);
  }
  void take_unit(uint32_t unit, double visit_us) {
    if (units_ != nullptr) take(units_->of_unit(unit), visit_us);
  }
  void leave();

 private:
  void take(Turns& turns, double visit_us);

  UnitArbiters* const units_;
  const uint64_t number_;
  Turns* taken_ = nullptr;
};

}  // namespace nestrt
