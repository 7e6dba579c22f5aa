// SPDX-License-Identifier: Apache-2.0
// Location of the shared test data: real networks, images and expected results outside the repository.
#pragma once

#include <filesystem>
#include <optional>
#include <string_view>

namespace nestrt::test {

// Returns the file or folder of that name under $NESTRT_SHARED/data, or under ../shared/data relative to the source
// tree or to the main worktree of its git repository. If it is missing, skips the test case and returns nullopt.
std::optional<std::filesystem::path> shared_data(std::string_view relative);

}  // namespace nestrt::test
