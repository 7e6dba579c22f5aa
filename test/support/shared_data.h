// Where the shared test data lie: real networks, images and expected results that are not part of the repository.
#pragma once

#include <filesystem>
#include <optional>
#include <string_view>

namespace nestrt::test {

// The file or folder of that name under $NESTRT_SHARED/data, or under ../shared/data beside the source tree or beside
// the main worktree of its git repository. Where it is missing, the test case counts as
// skipped and nothing is returned.
std::optional<std::filesystem::path> shared_data(std::string_view relative);

}  // namespace nestrt::test
