// SPDX-License-Identifier: Apache-2.0
// EndingSignals: holds back SIGINT, SIGTERM and SIGHUP until processes are stopped and files removed.
#pragma once

namespace nestrt::compiler {

// During its lifetime, records these signals unless they are ignored. The destructor of the last object restores the
// previous handlers and raises a recorded signal. Temporary folders are removed before the signal ends the process.
// Threading: any thread.
class EndingSignals {
 public:
  EndingSignals();
  ~EndingSignals();
  EndingSignals(const EndingSignals&) = delete;
  EndingSignals& operator=(const EndingSignals&) = delete;

  static bool came();
};

}  // namespace nestrt::compiler
