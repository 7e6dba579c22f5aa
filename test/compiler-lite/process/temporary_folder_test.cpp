// SPDX-License-Identifier: Apache-2.0
#include "compiler-lite/process/temporary_folder.h"

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <utility>

namespace nestrt::compiler {

TEST_CASE("A temporary folder is removed with its contents") {
  std::filesystem::path path;
  {
    auto folder = TemporaryFolder::create();
    path = folder->path();
    const TemporaryFolder moved = std::move(*folder);
    std::ofstream(path / "file") << "content";
    REQUIRE(std::filesystem::is_directory(path));
  }
  REQUIRE_FALSE(std::filesystem::exists(path));
}

}  // namespace nestrt::compiler
