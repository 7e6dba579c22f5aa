#include "runtime/session/turns.h"

#include <utility>

namespace nestrt {

void Turns::enter(const Claim& claim) {
  std::unique_lock lock(mutex_);
  if (std::exchange(is_taken_, true)) wait(lock, claim);
}

void Turns::let_smaller_go_first(const Claim& claim) {
  std::unique_lock lock(mutex_);
  if (first_ == nullptr || !(first_->claim < claim)) return;
  call_first();
  wait(lock, claim);
}

void Turns::leave() {
  const std::lock_guard lock(mutex_);
  is_taken_ = first_ != nullptr;
  if (is_taken_) call_first();
}

void Turns::wait(std::unique_lock<std::mutex>& lock, const Claim& claim) {
  Waiter waiter;
  waiter.claim = claim;
  Waiter** place = &first_;
  while (*place != nullptr && (*place)->claim <= claim) place = &(*place)->next;
  waiter.next = *place;
  *place = &waiter;
  waiter.called.wait(lock, [&] { return waiter.is_called; });
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
  if (taken_ == &turns) return turns.let_smaller_go_first(claim);
  leave();
  turns.enter(claim);
  taken_ = &turns;
}

void Turn::leave() {
  if (taken_ != nullptr) std::exchange(taken_, nullptr)->leave();
}

}  // namespace nestrt
