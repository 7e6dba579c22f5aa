// SPDX-License-Identifier: Apache-2.0
// CompletionPoller: decides when a thread that waits for a run polls for its end. It sleeps until shortly before the
// end predicted from earlier runs of the program, polls without sleeping around that time, and otherwise sleeps for a
// fraction of the elapsed time. It thus detects the end immediately and keeps the core busy only for a small part of
// the run. XRT's own timed wait wakes on the interrupt, but does not respect its time limit if the device vanishes or
// other processes use it: every wakeup restarts the wait for the run.
#pragma once

#include <algorithm>
#include <chrono>

namespace nestrt::evta {

class CompletionPoller {
 public:
  using Duration = std::chrono::nanoseconds;

  // The end of a run of unknown duration is detected with a delay of at most 1 / kDelayDivisor of the duration.
  static constexpr int kDelayDivisor = 16;
  static constexpr std::chrono::microseconds kMinSleep{20}, kMaxSleep{500};
  // Maximum delay with which a sleeping thread of the library (runtime/platform/named_thread.h) wakes.
  static constexpr std::chrono::microseconds kMaxOversleep{60};

  // Returns how long to sleep before the next poll, given the time since the start; 0: poll again immediately.
  Duration pause(Duration elapsed) {
    if (elapsed < expected_ - poll_window_) return expected_ - poll_window_ - elapsed;
    if (elapsed < expected_ + poll_window_) {
      has_polled_ = true;
      return Duration::zero();
    }
    return coarse_pause(elapsed);
  }

  // Records the time at which the end of a run was detected. If the run had already ended on wakeup, the next wait is
  // shorter. If that happens twice in a row, the duration becomes unknown.
  void ended_after(Duration elapsed) {
    const bool was_expected = expected_ > Duration::zero();
    const bool overslept = was_expected && !has_polled_;
    if (!was_expected)
      poll_window_ = std::max(poll_window_, kMaxOversleep + coarse_pause(elapsed));
    else if (overslept)
      poll_window_ = std::min<Duration>(2 * poll_window_, kMaxSleep);
    else
      poll_window_ = std::max<Duration>(kMaxOversleep, poll_window_ - poll_window_ / 4);
    expected_ = overslept && overslept_ ? Duration::zero() : std::min(last_, elapsed);
    last_ = elapsed;
    overslept_ = overslept;
    has_polled_ = false;
  }

 private:
  static Duration coarse_pause(Duration elapsed) {
    return std::clamp<Duration>(elapsed / kDelayDivisor, kMinSleep, kMaxSleep);
  }

  // The shorter duration of the last two runs, because one may have been delayed. 0 if unknown.
  Duration expected_ = Duration::zero();
  Duration last_ = Duration::zero();         // duration of the last run
  Duration poll_window_ = Duration::zero();  // time before and after the expected end that is too short for sleeping
  bool has_polled_ = false;                  // whether the current run has been polled without sleeping
  bool overslept_ = false;  // whether the last run ended during the sleep although its end was predicted
};

}  // namespace nestrt::evta
