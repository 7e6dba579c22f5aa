// SPDX-License-Identifier: Apache-2.0
// TemporaryFolder: a new folder, deleted by the destructor.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace nestrt::test {

class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  // Returns the path of the new file.
  std::string write(const std::string& name, std::span<const std::byte> bytes) const;
  std::string write_text(const std::string& name, std::string_view text) const;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace nestrt::test
