// Other programs, which are started and waited for.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "nestrt/result.h"

namespace nestrt::compiler {

inline constexpr int kSignalled = 128;

struct ProcessResult {
  int exit_code = 0;   // kSignalled + signal where it was killed
  std::string output;  // standard output
  std::string error;   // standard error
};

struct ProcessOptions {
  std::string working_folder;               // of the program; empty: that of this process
  std::chrono::milliseconds time_limit{0};  // after which the program is killed; 0: none
};

// Runs a program, found by PATH, and waits for it. `folder` receives the files that hold what it prints.
// The program is killed with what it has started, unless that has left its group. So it is where SIGINT, SIGTERM or
// SIGHUP comes meanwhile, which then does to this process what it would have done: as soon as no EndingSignals are
// left. Errors: kNotFound where the program cannot be started, kDeadlineExceeded, kCancelled where a signal came that
// this process lives through, kIo.
Result<ProcessResult> run_process(const std::vector<std::string>& command, const std::string& folder,
                                  const ProcessOptions& options = {});

}  // namespace nestrt::compiler
