// CompletionPoller: decides when a thread that waits for a run polls for its end. It sleeps until shortly before the
// end that earlier runs of the program predict, polls without sleeping around that time, and otherwise sleeps for a
// fraction of the elapsed time. It thus detects the end immediately and keeps the core busy for a small part of the run
// only. XRT's own timed wait wakes on the interrupt, but does not respect its time limit if the device vanishes or
// other processes use it: every wakeup restarts the wait for the run.
#pragma once

#include <algorithm>
#include <chrono>

namespace nestrt::evta {

class CompletionPoller {
 public:
  using Duration = std::chrono::nanoseconds;

  // The end of a run of unknown duration is detected late by at most this fraction of its duration.
  static constexpr int kLooks = 16;
  static constexpr std::chrono::microseconds kShortestSleep{20}, kLongestSleep{500};
  // Upper bound of how late a sleeping thread of the library (runtime/platform/named_thread.h) wakes.
  static constexpr std::chrono::microseconds kOversleep{60};

  // Returns how long to sleep before the next poll, `elapsed` after the start; 0 polls again immediately.
  Duration pause(Duration elapsed) {
    if (elapsed < usual_ - awake_) return usual_ - awake_ - elapsed;
    if (elapsed < usual_ + awake_) {
      was_awake_ = true;
      return Duration::zero();
    }
    return coarse_pause(elapsed);
  }

  // Records the time at which the end of a run was detected. If the run had already ended on wakeup, the next one wakes
  // earlier. If that happens twice in a row, the duration becomes unknown.
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

  // Shorter duration of the last two runs, because one may have been delayed. 0 if unknown.
  Duration usual_ = Duration::zero();
  Duration last_ = Duration::zero();   // duration of the last run
  Duration awake_ = Duration::zero();  // period before and after the expected end that is too short to sleep in
  bool was_awake_ = false;             // whether the current run has been polled without sleeping
  bool overslept_ = false;             // whether the last run ended during the sleep although its end was predicted
};

}  // namespace nestrt::evta
