// CompletionPoller: when a thread that waits for a run of a program should look whether it has ended. It sleeps until
// shortly before the end that earlier runs of the program make expect, looks without sleeping around that, and else
// sleeps for a part of the time that the run has taken so far: so an end is seen at once, and the waiter has the core
// to itself for a small part of the run only. XRT's own timed wait would be woken by the interrupt, but has no limit
// where the device vanishes or others use it: it looks for its own run again at whatever wakes it.
#pragma once

#include <algorithm>
#include <chrono>

namespace nestrt::evta {

class CompletionPoller {
 public:
  using Duration = std::chrono::nanoseconds;

  // The end of a run of which nothing is known is seen late by no more than this part of it.
  static constexpr int kLooks = 16;
  static constexpr std::chrono::microseconds kShortestSleep{20}, kLongestSleep{500};
  // What a sleep of a thread of the library (runtime/platform/named_thread.h) lasts longer than it should, and some
  // more.
  static constexpr std::chrono::microseconds kOversleep{60};

  // How long to sleep before the next look, so long after the start; 0: look again at once.
  Duration pause(Duration elapsed) {
    if (elapsed < usual_ - awake_) return usual_ - awake_ - elapsed;
    if (elapsed < usual_ + awake_) {
      was_awake_ = true;
      return Duration::zero();
    }
    return coarse_pause(elapsed);
  }

  // A run was seen to have ended after that time. If it had when the waiter woke, it wakes earlier the next time; if it
  // had twice in a row, nobody knows how long the program takes.
  void ended_after(Duration elapsed) {
    const bool was_expected = usual_ > Duration::zero();
    const bool overslept = was_expected && !was_awake_;
    if (!was_expected)
      awake_ = std::max(awake_, kOversleep + coarse_pause(elapsed));
    else if (overslept)
      awake_ = std::min<Duration>(2 * awake_, kLongestSleep);
    else
      awake_ = std::max<Duration>(kOversleep, awake_ - awake_ / 4);
    usual_ = overslept && overslept_ ? Duration::zero() : std::min(last_, elapsed);
    last_ = elapsed;
    overslept_ = overslept;
    was_awake_ = false;
  }

 private:
  static Duration coarse_pause(Duration elapsed) {
    return std::clamp<Duration>(elapsed / kLooks, kShortestSleep, kLongestSleep);
  }

  // What the shorter of the last two runs took: one of them may have been held up. 0: not known.
  Duration usual_ = Duration::zero();
  Duration last_ = Duration::zero();   // what the last run took
  Duration awake_ = Duration::zero();  // how long before and after that sleep would be too coarse
  bool was_awake_ = false;             // whether this run's waiter has looked without sleeping
  bool overslept_ = false;             // whether that of the last run had not, although it expected an end
};

}  // namespace nestrt::evta
