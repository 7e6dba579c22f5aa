// SPDX-License-Identifier: Apache-2.0
// An object that disables warnings during its lifetime.
#pragma once

#include "nestrt/log.h"

namespace nestrt::test {

struct Quiet {
  Quiet() { set_log_level(LogLevel::kError); }
  ~Quiet() { set_log_level(LogLevel::kWarning); }
  Quiet(const Quiet&) = delete;
  Quiet& operator=(const Quiet&) = delete;
};

}  // namespace nestrt::test
