// Waiting awake, for what takes about as long as falling asleep and waking.
#pragma once

#include <chrono>

namespace nestrt {

// Tells the core that it is waiting.
inline void pause_briefly() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield" ::: "memory");
#endif
}

// Polls until `ready()` or the time is over; says whether it was ready.
template <typename Ready>
bool spin_until(std::chrono::microseconds limit, Ready ready) {
  using Clock = std::chrono::steady_clock;
  if (ready()) return true;
  if (limit.count() == 0) return false;
  const Clock::time_point end = Clock::now() + limit;
  do {
    for (int i = 0; i < 32; ++i) {
      if (ready()) return true;
      pause_briefly();
    }
  } while (Clock::now() < end);
  return false;
}

}  // namespace nestrt
