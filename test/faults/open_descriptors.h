// SPDX-License-Identifier: Apache-2.0
// Counts the open files of the process.
#pragma once

#include <filesystem>
#include <iterator>

namespace nestrt::test {

inline int open_descriptors() {
  const std::filesystem::directory_iterator files("/proc/self/fd");
  return static_cast<int>(std::distance(begin(files), end(files)));
}

}  // namespace nestrt::test
