// TemporaryFolder: a folder of a test's own that goes away with it.
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

  // The path of the new file.
  std::string write(const std::string& name, std::span<const std::byte> bytes) const;
  std::string write_text(const std::string& name, std::string_view text) const;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace nestrt::test
