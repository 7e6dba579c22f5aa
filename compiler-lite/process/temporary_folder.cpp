// SPDX-License-Identifier: Apache-2.0
#include "compiler-lite/process/temporary_folder.h"

#include <fmt/core.h>

#include <stdlib.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <mutex>
#include <set>

namespace nestrt::compiler {
namespace {

std::mutex folders_mutex;
std::set<std::string> folders;  // existing folders

}  // namespace

Result<TemporaryFolder> TemporaryFolder::create() {
  std::error_code failure;
  std::string path = std::filesystem::temp_directory_path(failure) / "nestc-XXXXXX";
  if (failure || mkdtemp(path.data()) == nullptr) {
    return Status(Code::kIo, fmt::format("cannot create a temporary folder {}: {}; set TMPDIR to a writable folder",
                                         path, std::strerror(errno)));
  }
  const std::lock_guard lock(folders_mutex);
  folders.insert(path);
  return TemporaryFolder(path);
}

TemporaryFolder::~TemporaryFolder() {
  if (path_.empty()) return;
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
  const std::lock_guard lock(folders_mutex);
  folders.erase(path_);
}

void remove_temporary_folders() {
  const std::lock_guard lock(folders_mutex);
  std::error_code ignored;
  for (const std::string& path : folders) std::filesystem::remove_all(path, ignored);
}

}  // namespace nestrt::compiler
