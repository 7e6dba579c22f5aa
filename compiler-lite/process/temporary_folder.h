// SPDX-License-Identifier: Apache-2.0
// TemporaryFolder: a folder for files that are exchanged with other programs.
#pragma once

#include <string>
#include <utility>

#include "nestrt/result.h"

namespace nestrt::compiler {

// A new folder for temporary files. It is removed with its contents by the destructor, or before a signal held back by
// EndingSignals ends this process.
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

// Removes all temporary folders before the process ends without running destructors. Threading: any thread.
void remove_temporary_folders();

}  // namespace nestrt::compiler
