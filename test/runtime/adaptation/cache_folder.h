// SPDX-License-Identifier: Apache-2.0
// Redirects learned costs to a temporary folder.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <vector>

#include "test/support/process/temporary_folder.h"

namespace nestrt::test {

class CacheFolder {
 public:
  CacheFolder() { setenv("NESTRT_COST_CACHE", folder_.path().c_str(), 1); }
  ~CacheFolder() { setenv("NESTRT_COST_CACHE", "", 1); }
  std::vector<std::filesystem::path> files() const {
    std::vector<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder_.path()))
      if (entry.is_regular_file()) files.push_back(entry.path());
    return files;
  }

 private:
  const TemporaryFolder folder_;
};

}  // namespace nestrt::test
