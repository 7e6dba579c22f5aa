// SIGINT, SIGTERM and SIGHUP, held back while something has to be ended or removed before they end this process.
#pragma once

namespace nestrt::compiler {

// While one lives these signals are noted, but for those that are ignored. When the last of them goes, a signal that
// came does what it would have done; before it ends this process, temporary folders are removed.
// Threads: any.
class EndingSignals {
 public:
  EndingSignals();
  ~EndingSignals();
  EndingSignals(const EndingSignals&) = delete;
  EndingSignals& operator=(const EndingSignals&) = delete;

  static bool came();
};

}  // namespace nestrt::compiler
