// SPDX-License-Identifier: Apache-2.0
#include "test/support/process/temporary_folder.h"

#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <stdexcept>

namespace nestrt::test {

TemporaryFolder::TemporaryFolder() : path_(std::filesystem::temp_directory_path() / "nestrt-test-XXXXXX") {
  if (::mkdtemp(path_.data()) == nullptr) throw std::runtime_error("cannot create a folder " + path_);
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::string TemporaryFolder::write(const std::string& name, std::span<const std::byte> bytes) const {
  return write_text(name, std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
}

std::string TemporaryFolder::write_text(const std::string& name, std::string_view text) const {
  std::string path = path_ + "/" + name;
  std::ofstream(path, std::ios::binary).write(text.data(), static_cast<std::streamsize>(text.size()));
  return path;
}

}  // namespace nestrt::test
