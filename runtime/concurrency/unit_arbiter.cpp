// SPDX-License-Identifier: Apache-2.0
#include "runtime/concurrency/unit_arbiter.h"

#include <utility>

namespace nestrt {

void UnitArbiter::acquire(const ArbitrationRequest& request) {
  const MutexLock lock(mutex_);
  if (std::exchange(is_held_, true)) wait(request);
}

void UnitArbiter::yield_to_shorter(const ArbitrationRequest& request) {
  const MutexLock lock(mutex_);
  if (first_ == nullptr || !(first_->request < request)) return;
  grant_to_first();
  wait(request);
}

void UnitArbiter::release() {
  const MutexLock lock(mutex_);
  is_held_ = first_ != nullptr;
  if (is_held_) grant_to_first();
}

void UnitArbiter::wait(const ArbitrationRequest& request) {
  Waiter waiter;
  waiter.request = request;
  Waiter** place = &first_;
  while (*place != nullptr && (*place)->request <= request) place = &(*place)->next;
  waiter.next = *place;
  *place = &waiter;
  while (!waiter.is_granted) waiter.granted.wait(mutex_);
}

// Passes the unit to the first waiter without freeing it in between. Notifies under the lock, because the waiter is on
// the stack of its thread.
void UnitArbiter::grant_to_first() {
  Waiter& next = *first_;
  first_ = next.next;
  next.is_granted = true;
  next.granted.notify_one();
}

void UnitLease::acquire(UnitArbiter& arbiter, double use_us) {
  const ArbitrationRequest request{use_us, inference_};
  if (held_ == &arbiter) return arbiter.yield_to_shorter(request);
  release();
  arbiter.acquire(request);
  held_ = &arbiter;
}

void UnitLease::release() {
  if (held_ != nullptr) std::exchange(held_, nullptr)->release();
}

}  // namespace nestrt
