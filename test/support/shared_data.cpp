// SPDX-License-Identifier: Apache-2.0
#include "test/support/shared_data.h"

#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include "test/support/skip.h"

namespace nestrt::test {
namespace {

// Returns the main worktree if `source` is a linked worktree, whose .git is a file ("gitdir:
// MAIN/.git/worktrees/NAME"), otherwise `source`.
std::filesystem::path main_worktree(const std::filesystem::path& source) {
  std::ifstream file(source / ".git");
  std::string key;
  std::string folder;
  if (!(file >> key >> folder) || key != "gitdir:") return source;
  return std::filesystem::path(folder).parent_path().parent_path().parent_path();
}

}  // namespace

std::optional<std::filesystem::path> shared_data(std::string_view relative) {
  const std::filesystem::path source(NESTRT_SOURCE_DIR);
  std::vector<std::filesystem::path> roots;
  if (const char* stated = std::getenv("NESTRT_SHARED")) roots.emplace_back(stated);
  roots.push_back(source / ".." / "shared");
  roots.push_back(main_worktree(source) / ".." / "shared");
  for (const auto& root : roots) {
    std::error_code failure;
    const auto path = root / "data" / relative;
    if (std::filesystem::exists(path, failure)) return path;
  }
  skip("shared/data/" + std::string(relative) + " does not exist");
  return std::nullopt;
}

}  // namespace nestrt::test
