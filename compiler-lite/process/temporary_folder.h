// The folder in which files are exchanged with other programs.
#pragma once

#include <string>
#include <utility>

#include "nestrt/result.h"

namespace nestrt::compiler {

// A new folder for temporary files, removed with everything in it by the destructor, or where a signal that
// EndingSignals have held back ends this process.
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

// All that there are, where this process is about to end without their destructors. Threads: any.
void remove_temporary_folders();

}  // namespace nestrt::compiler
