// SPDX-License-Identifier: Apache-2.0
#include "tools/support/text/progress.h"

#include <catch2/catch.hpp>

namespace nestrt::tools {
namespace {

TEST_CASE("A progress line shows the bar and the remaining time") {
  CHECK(format_progress("images", 25, 100, 10, 8) == "images  [##......] 25/100  30 s left");
  CHECK(format_progress("images", 1, 100, 1, 4) == "images  [....] 1/100  1 min 39 s left");
}

TEST_CASE("A progress line shows no remaining time before the first step or after the last") {
  CHECK(format_progress("x", 0, 3, 5, 3) == "x  [...] 0/3");
  CHECK(format_progress("x", 3, 3, 5, 3) == "x  [###] 3/3");
  CHECK(format_progress("x", 0, 0, 5, 3) == "x  [###] 0/0");
  CHECK(format_progress("x", 5, 3, 5, 3) == "x  [###] 5/3");
}

}  // namespace
}  // namespace nestrt::tools
