// SPDX-License-Identifier: Apache-2.0
// UnitArbiter: mutual exclusion on one unit. The waiter with the shortest predicted use goes first, so that a long
// step here does not delay another unit that depends on a short one ("shortest remaining processing time": L.
// Schrage, A proof of the optimality of the shortest remaining processing time discipline, 1968). No waiter starves: a
// pipeline has a bounded number of inferences, and each of them progresses.
//
// Threading: all members may be called from any thread. No member allocates memory.
#pragma once

#include <compare>
#include <cstdint>
#include <deque>

#include "nestrt/driver/mutex.h"

namespace nestrt {

// Ordered by priority: the shortest predicted use first, then the oldest inference.
struct ArbitrationRequest {
  double use_us = 0;
  uint64_t inference = 0;
  auto operator<=>(const ArbitrationRequest&) const = default;
};

class UnitArbiter {
 public:
  // Blocks until the unit is free.
  void acquire(const ArbitrationRequest& request);
  void release();
  // Requires: the caller holds the unit. Yields it to a waiter with a smaller request, if any.
  void yield_to_shorter(const ArbitrationRequest& request);

 private:
  // Lives on the stack of the waiting thread. Each waiter has its own condition, so a release wakes only one thread.
  struct Waiter {
    ArbitrationRequest request;
    bool is_granted = false;
    Condition granted;
    Waiter* next = nullptr;
  };

  void wait(const ArbitrationRequest& request) NESTRT_REQUIRES(mutex_);
  void grant_to_first() NESTRT_REQUIRES(mutex_);

  Mutex mutex_;
  bool is_held_ NESTRT_GUARDED_BY(mutex_) = false;
  Waiter* first_ NESTRT_GUARDED_BY(mutex_) = nullptr;  // sorted by request; null unless the unit is held
};

// The arbiters of the units that a pipeline's sessions share.
class UnitArbiters {
 public:
  explicit UnitArbiters(size_t units) : units_(units) {}

  UnitArbiter& host() { return host_; }
  UnitArbiter& of_unit(uint32_t unit) { return units_[unit]; }

 private:
  UnitArbiter host_;
  std::deque<UnitArbiter> units_;  // by index in the unit list
};

// A lane's lease on at most one unit at a time. It is kept from step to step and released at the end of the lane.
// Releasing it after every step would make inferences alternate on a unit, finish there together and then compete for
// the next one.
class UnitLease {
 public:
  // `arbiters` is null if units are not arbitrated.
  UnitLease(UnitArbiters* arbiters, uint64_t inference) : arbiters_(arbiters), inference_(inference) {}
  ~UnitLease() { release(); }
  UnitLease(const UnitLease&) = delete;
  UnitLease& operator=(const UnitLease&) = delete;

  // Block until the unit is free. If this lease already holds it, yield only to a waiter with a smaller request.
  void acquire_host(double use_us) {
    if (arbiters_ != nullptr) acquire(arbiters_->host(), use_us);
  }
  void acquire_unit(uint32_t unit, double use_us) {
    if (arbiters_ != nullptr) acquire(arbiters_->of_unit(unit), use_us);
  }
  void release();

 private:
  void acquire(UnitArbiter& arbiter, double use_us);

  UnitArbiters* const arbiters_;
  const uint64_t inference_;
  UnitArbiter* held_ = nullptr;
};

}  // namespace nestrt
