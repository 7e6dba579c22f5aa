// Progress on standard error: a line that is drawn again where that is a terminal which can, otherwise a line of its
// own every ten seconds, so that a log tells a long command from one that hangs. NESTRT_PROGRESS in the environment
// states other seconds.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

namespace nestrt::tools {

// Whether any is shown from here on, in the whole process; it is by default. From any thread.
void set_progress(bool shown);

class Progress {
 public:
  Progress(std::string what, int64_t total);
  ~Progress();  // clears the line, so that what follows starts clean
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // `steps` more are done. Redraws a terminal's line at most ten times a second.
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

// The name of what is being done, on standard error: as Progress.
class StageLine {
 public:
  explicit StageLine(std::string what);
  ~StageLine();  // clears the line
  StageLine(const StageLine&) = delete;
  StageLine& operator=(const StageLine&) = delete;

  // "what: stage" in place of what was there.
  void show(std::string_view stage);

 private:
  using Clock = std::chrono::steady_clock;

  std::string what_;
  bool redraws_;
  Clock::duration interval_;
  Clock::time_point next_line_;
};

// "images  [#####.....] 250/500  12 s left", the bar `width` wide.
std::string format_progress(std::string_view what, int64_t done, int64_t total, double elapsed_seconds, int width = 30);

}  // namespace nestrt::tools
