// SPDX-License-Identifier: Apache-2.0
#include "tools/support/text/progress.h"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "runtime/text/parse.h"

namespace nestrt::tools {
namespace {

constexpr std::chrono::steady_clock::duration kRedrawInterval = std::chrono::milliseconds(100);
// Moves to the start of the line and erases it.
constexpr const char* kClearLine = "\r\x1b[K";

std::atomic<bool> is_shown{true};

// Returns whether lines can be redrawn. A dumb terminal receives the same output as a file.
bool redraws() {
  const char* const terminal = std::getenv("TERM");
  return is_shown.load() && isatty(STDERR_FILENO) == 1 && terminal != nullptr && std::string_view(terminal) != "dumb";
}

// Large, but does not overflow when added to a time.
constexpr std::chrono::steady_clock::duration kNever = std::chrono::hours(24 * 365 * 10);

// Returns the time between lines if the line cannot be redrawn.
std::chrono::steady_clock::duration line_interval() {
  constexpr int64_t kSeconds = 10, kMost = 86'400;
  if (!is_shown.load()) return kNever;
  const char* const text = std::getenv("NESTRT_PROGRESS");
  const auto stated = text == nullptr ? std::nullopt : parse_number<int64_t>(text);
  return std::chrono::seconds(stated && *stated >= 0 && *stated <= kMost ? *stated : kSeconds);
}

std::string format_left(double seconds) {
  const auto rounded = static_cast<int64_t>(seconds + 0.5);
  if (rounded < 60) return fmt::format("{} s left", rounded);
  return fmt::format("{} min {:02} s left", rounded / 60, rounded % 60);
}

}  // namespace

std::string format_progress(std::string_view what, int64_t done, int64_t total, double elapsed_seconds, int width) {
  const double fraction =
      total > 0 ? std::clamp(static_cast<double>(done) / static_cast<double>(total), 0.0, 1.0) : 1.0;
  const auto filled = static_cast<size_t>(fraction * width);
  std::string text = fmt::format("{}  [{}{}] {}/{}", what, std::string(filled, '#'),
                                 std::string(static_cast<size_t>(width) - filled, '.'), done, total);
  if (done > 0 && done < total) text += "  " + format_left(elapsed_seconds * (1 / fraction - 1));
  return text;
}

void set_progress(bool shown) { is_shown.store(shown); }

Progress::Progress(std::string what, int64_t total)
    : what_(std::move(what)),
      total_(total),
      redraws_(redraws()),
      interval_(redraws_ ? kRedrawInterval : line_interval()),
      next_draw_(redraws_ ? start_ : start_ + interval_) {}

Progress::~Progress() {
  if (redraws_) std::fputs(kClearLine, stderr);
}

void Progress::advance(int64_t steps) {
  done_ += steps;
  const Clock::time_point now = Clock::now();
  if (now < next_draw_ && !(redraws_ && done_ >= total_)) return;
  next_draw_ = now + interval_;
  const double elapsed = std::chrono::duration<double>(now - start_).count();
  const std::string text = format_progress(what_, done_, total_, elapsed);
  std::fprintf(stderr, redraws_ ? "%s%s" : "%s%s\n", redraws_ ? kClearLine : "", text.c_str());
}

StageLine::StageLine(std::string what)
    : what_(std::move(what)), redraws_(redraws()), interval_(line_interval()), next_line_(Clock::now() + interval_) {}

StageLine::~StageLine() {
  if (redraws_) std::fputs(kClearLine, stderr);
}

void StageLine::show(std::string_view stage) {
  const Clock::time_point now = Clock::now();
  if (!redraws_ && now < next_line_) return;
  next_line_ = now + interval_;
  std::fprintf(stderr, redraws_ ? "%s%s: %.*s" : "%s%s: %.*s\n", redraws_ ? kClearLine : "", what_.c_str(),
               static_cast<int>(stage.size()), stage.data());
}

}  // namespace nestrt::tools
