// SPDX-License-Identifier: Apache-2.0
// Cancels the main thread's run on Ctrl-C.
#pragma once

#include <csignal>

#include "nestrt/session.h"

namespace nestrt::python {

// During its lifetime, SIGINT cancels the session's run so that Python can handle the signal. It has no effect on other
// threads, where Python does not handle signals, or if the program has no handler.
class CancelOnInterrupt {
 public:
  explicit CancelOnInterrupt(Session& session);
  ~CancelOnInterrupt();
  bool is_interrupted() const;
  CancelOnInterrupt(const CancelOnInterrupt&) = delete;
  CancelOnInterrupt& operator=(const CancelOnInterrupt&) = delete;

 private:
  bool active_ = false;
};

}  // namespace nestrt::python
