// Other programs, and the folder in which files are exchanged with them.
#pragma once

#include <chrono>
#include <string>
#include <utility>
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
  std::string working_folder;  // of the program; empty: that of this process
  // After it the program is killed, and with it what it has started, unless that has left its group. So it is where
  // SIGINT, SIGTERM or SIGHUP comes meanwhile, which then does to this process what it would have done. 0: none of it.
  std::chrono::milliseconds time_limit{0};
};

// Runs a program, found by PATH, and waits for it. `folder` receives the files that hold what it prints.
// Errors: kNotFound where the program cannot be started, kDeadlineExceeded, kCancelled where a signal
// came that this process lives through, kIo.
Result<ProcessResult> run_process(const std::vector<std::string>& command, const std::string& folder,
                                  const ProcessOptions& options = {});

// A new folder for temporary files, removed with everything in it by the destructor, or where a signal
// ends this process while a program with a time limit runs.
class TemporaryFolder {
 public:
  static Result<TemporaryFolder> create();
  TemporaryFolder(TemporaryFolder&& other) noexcept : path_(std::exchange(other.path_, {})) {}
  TemporaryFolder& operator=(TemporaryFolder&& other) noexcept {
    std::swap(path_, other.path_);
    return *this;
  }
  ~TemporaryFolder();
  const std::string& path() const { return path_; }

 private:
  explicit TemporaryFolder(std::string path) : path_(std::move(path)) {}
  std::string path_;
};

}  // namespace nestrt::compiler
