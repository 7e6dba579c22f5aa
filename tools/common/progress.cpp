#include "tools/common/progress.h"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

namespace nestrt::tools {
namespace {

constexpr auto kRedrawInterval = std::chrono::milliseconds(100);
// Back to the start of the line, and erase it.
constexpr const char* kClearLine = "\r\x1b[K";

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

Progress::Progress(std::string what, int64_t total)
    : what_(std::move(what)), total_(total), visible_(isatty(STDERR_FILENO) == 1) {}

Progress::~Progress() {
  if (visible_) std::fputs(kClearLine, stderr);
}

void Progress::advance(int64_t steps) {
  done_ += steps;
  if (!visible_) return;
  const Clock::time_point now = Clock::now();
  if (now < next_draw_ && done_ < total_) return;
  next_draw_ = now + kRedrawInterval;
  const double elapsed = std::chrono::duration<double>(now - start_).count();
  std::fprintf(stderr, "%s%s", kClearLine, format_progress(what_, done_, total_, elapsed).c_str());
}

StageLine::StageLine(std::string what) : what_(std::move(what)), visible_(isatty(STDERR_FILENO) == 1) {}

StageLine::~StageLine() {
  if (visible_) std::fputs(kClearLine, stderr);
}

void StageLine::show(std::string_view stage) {
  if (visible_)
    std::fprintf(stderr, "%s%s: %.*s", kClearLine, what_.c_str(), static_cast<int>(stage.size()), stage.data());
}

}  // namespace nestrt::tools
