// SPDX-License-Identifier: Apache-2.0
// Runs other programs and waits for them.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "nestrt/result.h"

namespace nestrt::compiler {

inline constexpr int kSignalled = 128;

struct ProcessResult {
  int exit_code = 0;   // kSignalled + signal if it was killed
  std::string output;  // standard output
  std::string error;   // standard error
};

struct ProcessOptions {
  std::string working_folder;               // folder in which the program runs; empty selects this process's folder
  std::chrono::milliseconds time_limit{0};  // the program is killed after this time; 0 for no limit
};

// Runs a program, searched for in PATH, and waits for it. Redirects its output to files in `folder`.
// Kills the program and its process group if the time limit expires, or if SIGINT, SIGTERM or SIGHUP arrives. The
// signal then has its usual effect on this process as soon as no EndingSignals object exists. Errors: kNotFound if the
// program cannot be started, kDeadlineExceeded, kCancelled if this process survives a signal, kIo.
Result<ProcessResult> run_process(const std::vector<std::string>& command, const std::string& folder,
                                  const ProcessOptions& options = {});

}  // namespace nestrt::compiler
