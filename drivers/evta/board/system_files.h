// SPDX-License-Identifier: Apache-2.0
// SystemFiles: the files in /sys, /dev, /run and /tmp by which a driver finds and accesses a board.
//
// Tests use a folder with the same structure instead of the root of the system: the environment variable
// NESTRT_SYSTEM_ROOT, which programs with elevated privileges ignore.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace nestrt::evta {

class SystemFiles {
 public:
  // `root`: prefix of every path; empty for the system itself.
  explicit SystemFiles(std::string root) : root_(std::move(root)) {}
  static SystemFiles from_environment();

  // Returns the location of an absolute path: "/dev/uio0".
  std::string path(std::string_view absolute) const { return root_ + std::string(absolute); }
  bool exists(std::string_view absolute) const;
  // Returns the first `max_bytes` of a file, or nullopt if it cannot be read. The default is the maximum size of an
  // attribute in sysfs.
  std::optional<std::string> read_bytes(std::string_view absolute, size_t max_bytes = 4096) const;
  // Returns the text of an attribute without the newline at its end, or nullopt if it cannot be read.
  std::optional<std::string> read_text(std::string_view absolute) const;
  // Returns the number in an attribute, which may start with 0x.
  std::optional<uint64_t> read_number(std::string_view absolute) const;
  // Writes the text of an attribute in one call. Returns 0 or the errno value.
  int write_text(std::string_view absolute, std::string_view text) const;
  // Returns the names in a folder, sorted; numbers at the end of names in numerical order (uio2 before uio10).
  std::vector<std::string> list(std::string_view absolute) const;

 private:
  std::string root_;
};

}  // namespace nestrt::evta
