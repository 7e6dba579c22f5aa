// SPDX-License-Identifier: Apache-2.0
// Holds back SIGINT, SIGTERM and SIGHUP while something must be stopped or removed before they end this process.
#pragma once

namespace nestrt::compiler {

// Records these signals, unless they are ignored, during its lifetime. The destructor of the last object restores the
// previous handlers and raises a recorded signal. Before the signal ends the process, temporary folders are removed.
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
