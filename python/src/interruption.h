// SPDX-License-Identifier: Apache-2.0
// A KeyboardInterrupt ends the run that the main thread waits for.
#pragma once

#include <csignal>

#include "nestrt/session.h"

namespace nestrt::python {

// As long as it lives, an interrupt of the main thread (Ctrl-C) cancels the session's run, so that Python can handle
// it. Nothing on other threads, which interrupts do not reach in Python either, and where nobody handles interrupts.
class CancelOnInterrupt {
 public:
  explicit CancelOnInterrupt(Session& session);
  ~CancelOnInterrupt();
  bool came() const;  // whether there was an interrupt
  CancelOnInterrupt(const CancelOnInterrupt&) = delete;
  CancelOnInterrupt& operator=(const CancelOnInterrupt&) = delete;

 private:
  bool active_ = false;
};

}  // namespace nestrt::python
