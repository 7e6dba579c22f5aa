// SPDX-License-Identifier: Apache-2.0
// Spin waits, for waits that are about as short as putting a thread to sleep and waking it.
#pragma once

#include <atomic>
#include <chrono>

namespace nestrt {

// Signals a spin-wait loop to the core.
inline void pause_briefly() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield" ::: "memory");
#endif
}

// Polls until `ready()` returns true or the time limit is reached. Returns whether it was ready.
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

// Waits until `ready(value)`: spins for `awake`, then sleeps. Returns the value. The writer must notify.
template <typename T, typename Ready>
T wait_until(const std::atomic<T>& value, std::chrono::microseconds awake, Ready ready) {
  T now = T();
  const auto is_ready = [&] {
    now = value.load(std::memory_order_acquire);
    return ready(now);
  };
  if (spin_until(awake, is_ready)) return now;
  while (!is_ready()) value.wait(now, std::memory_order_acquire);
  return now;
}

}  // namespace nestrt
