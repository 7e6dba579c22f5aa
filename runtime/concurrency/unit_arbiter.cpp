#include "runtime/concurrency/unit_arbiter.h"

#include <utility>

namespace nestrt {

void Turns::enter(const Claim& claim) {
  const MutexLock lock(mutex_);
  if (std::exchange(is_taken_, true)) wait(claim);
}

void Turns::yield_to_shorter(const Claim& claim) {
  const MutexLock lock(mutex_);
  if (first_ == nullptr || !(first_->claim < claim)) return;
  call_first();
  wait(claim);
}

void Turns::leave() {
  const MutexLock lock(mutex_);
  is_taken_ = first_ != nullptr;
  if (is_taken_) call_first();
}

void Turns::wait(const Claim& claim) {
  Waiter waiter;
  waiter.claim = claim;
  Waiter** place = &first_;
  while (*place != nullptr && (*place)->claim <= claim) place = &(*place)->next;
  waiter.next = *place;
  *place = &waiter;
  while (!waiter.is_called) waiter.called.wait(mutex_);
}

// The turn goes to the next without being free in between. Under the lock, as a waiter goes with its thread.
void Turns::call_first() {
  Waiter& next = *first_;
  first_ = next.next;
  next.is_called = true;
  next.called.notify_one();
}

void Turn::take(Turns& turns, double visit_us) {
  const Claim claim{visit_us, number_};
  if (taken_ == &turns) return turns.yield_to_shorter(claim);
  leave();
  turns.enter(claim);
  taken_ = &turns;
}

void Turn::leave() {
  if (taken_ != nullptr) std::exchange(taken_, nullptr)->leave();
}

}  // namespace nestrt
