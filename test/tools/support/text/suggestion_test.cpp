// SPDX-License-Identifier: Apache-2.0
#include "tools/support/text/suggestion.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

namespace nestrt::tools {
namespace {

const std::vector<std::string> kCommands = {"run", "eval", "bench", "info", "--threads", "--trace"};

TEST_CASE("A mistyped word suggests the candidate with the fewest edits") {
  CHECK(most_like("bnech", kCommands) == "bench");
  CHECK(most_like("benc", kCommands) == "bench");
  CHECK(most_like("eval2", kCommands) == "eval");
  CHECK(most_like("rum", kCommands) == "run");
  CHECK(most_like("--treads", kCommands) == "--threads");
  CHECK(most_like("--tracse", kCommands) == "--trace");
}

TEST_CASE("A word without a similar candidate has no suggestion") {
  CHECK(most_like("compile", kCommands) == std::nullopt);
  CHECK(most_like("", kCommands) == std::nullopt);
  CHECK(most_like("xy", kCommands) == std::nullopt);
  CHECK(most_like(std::string(1 << 20, 'x'), kCommands) == std::nullopt);
  CHECK(most_like("bench", {}) == std::nullopt);
}

}  // namespace
}  // namespace nestrt::tools
