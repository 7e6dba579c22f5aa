// SPDX-License-Identifier: Apache-2.0
// Two cases for the tests of skip(). The second must fail.
#include <catch2/catch.hpp>

#include "test/support/skip.h"

namespace nestrt::test {
namespace {

TEST_CASE("A case without its data") { skip("no data"); }

TEST_CASE("A case without its data that fails") {
  skip("no data");
  CHECK(1 == 2);
}

}  // namespace
}  // namespace nestrt::test
