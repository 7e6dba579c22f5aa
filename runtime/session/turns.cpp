#include "runtime/session/turns.h"

namespace nestrt {

void Turns::enter(uint64_t number) {
  std::unique_lock lock(mutex_);
  if (free_ > 0) {
    --free_;
    return;
  }
  Waiter waiter;
  waiter.number = number;
  Waiter** place = &first_;
  while (*place != nullptr && (*place)->number <= number) place = &(*place)->next;
  waiter.next = *place;
  *place = &waiter;
  waiter.called.wait(lock, [&] { return waiter.is_called; });
}

// The turn goes to the next without being free in between. Under the lock, as a waiter goes with its thread.
void Turns::leave() {
  const std::lock_guard lock(mutex_);
  if (first_ == nullptr) {
    ++free_;
    return;
  }
  Waiter& next = *first_;
  first_ = next.next;
  next.is_called = true;
  next.called.notify_one();
}

}  // namespace nestrt
