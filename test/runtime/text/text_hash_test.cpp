// SPDX-License-Identifier: Apache-2.0
// Tests the hash of text.
#include "runtime/text/text_hash.h"

#include <catch2/catch.hpp>

namespace nestrt::test {
namespace {

// Source: the test vectors of draft-eastlake-fnv.
TEST_CASE("Text hashes are FNV-1a") {
  CHECK(text_hash("") == "cbf29ce484222325");
  CHECK(text_hash("a") == "af63dc4c8601ec8c");
  CHECK(text_hash("foobar") == "85944171f73967e8");
}

}  // namespace
}  // namespace nestrt::test
