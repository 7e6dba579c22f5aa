// SPDX-License-Identifier: Apache-2.0
#include "runtime/platform/own_folder.h"

#include <catch2/catch.hpp>

namespace nestrt {
namespace {

TEST_CASE("Code in a program finds the program's folder") {
  CHECK(own_folder() == std::filesystem::read_symlink("/proc/self/exe").parent_path());
  CHECK(own_folder().is_absolute());
}

}  // namespace
}  // namespace nestrt
