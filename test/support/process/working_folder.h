// SPDX-License-Identifier: Apache-2.0
// An object that changes the working directory during its lifetime.
#pragma once

#include <filesystem>

namespace nestrt::test {

class WorkingFolder {
 public:
  explicit WorkingFolder(const std::filesystem::path& folder) : before_(std::filesystem::current_path()) {
    std::filesystem::current_path(folder);
  }
  ~WorkingFolder() { std::filesystem::current_path(before_); }
  WorkingFolder(const WorkingFolder&) = delete;
  WorkingFolder& operator=(const WorkingFolder&) = delete;

 private:
  const std::filesystem::path before_;
};

}  // namespace nestrt::test
