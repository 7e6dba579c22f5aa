#include "runtime/session/turns.h"

#include <algorithm>

namespace nestrt {

void Turns::enter(uint64_t number) {
  std::unique_lock lock(mutex_);
  waiting_.push_back(number);
  const auto is_first = [&] { return !taken_ && *std::min_element(waiting_.begin(), waiting_.end()) == number; };
  changed_.wait(lock, is_first);
  taken_ = true;
  waiting_.erase(std::find(waiting_.begin(), waiting_.end(), number));
}

void Turns::leave() {
  const std::lock_guard lock(mutex_);
  taken_ = false;
  changed_.notify_all();
}

}  // namespace nestrt
