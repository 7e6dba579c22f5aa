// SPDX-License-Identifier: Apache-2.0
// Shows progress on standard error: a line that is redrawn on a capable terminal, or else a new line every ten seconds,
// so that a log shows that the command is alive. NESTRT_PROGRESS sets another interval in seconds.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace nestrt::tools {

// Enables or disables progress in the whole process; enabled by default. Thread-safe.
void set_progress(bool shown);

class Progress {
 public:
  Progress(std::string what, int64_t total);
  ~Progress();  // clears the line
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // Adds `steps` finished steps. Redraws the line at most ten times per second.
  void advance(int64_t steps = 1);

 private:
  using Clock = std::chrono::steady_clock;

  std::string what_;
  int64_t total_;
  int64_t done_ = 0;
  bool redraws_;
  Clock::duration interval_;
  Clock::time_point start_ = Clock::now();
  Clock::time_point next_draw_ = start_;
};

// Shows one progress bar at a time: that of the latest description.
class ProgressBars {
 public:
  // `done` does not decrease while the description stays the same.
  void show(std::string_view what, size_t done, size_t total) {
    if (!bar_ || what != what_) {
      bar_.emplace(std::string(what), static_cast<int64_t>(total));
      what_ = what, shown_ = 0;
    }
    if (done > shown_) bar_->advance(static_cast<int64_t>(done - shown_));
    shown_ = std::max(done, shown_);
  }
  void clear() { bar_.reset(); }

 private:
  std::optional<Progress> bar_;
  std::string what_;
  size_t shown_ = 0;
};

// Shows the name of the current stage on standard error, as Progress.
class StageLine {
 public:
  explicit StageLine(std::string what);
  ~StageLine();  // clears the line
  StageLine(const StageLine&) = delete;
  StageLine& operator=(const StageLine&) = delete;

  // Replaces the line with "what: stage".
  void show(std::string_view stage);

 private:
  using Clock = std::chrono::steady_clock;

  std::string what_;
  bool redraws_;
  Clock::duration interval_;
  Clock::time_point next_line_;
};

// Returns a line such as "images  [#####.....] 250/500  12 s left" with a bar of `width` characters.
std::string format_progress(std::string_view what, int64_t done, int64_t total, double elapsed_seconds, int width = 30);

}  // namespace nestrt::tools
