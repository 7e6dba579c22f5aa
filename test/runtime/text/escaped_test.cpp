// SPDX-License-Identifier: Apache-2.0
#include "runtime/text/escaped.h"

#include <catch2/catch.hpp>

namespace nestrt {
namespace {

TEST_CASE("Escaped text is printable ASCII, and printable ASCII is unchanged") {
  CHECK(escaped("input 0 'x': expected ~24 bytes") == "input 0 'x': expected ~24 bytes");
  CHECK(escaped("'\x1b[2J\r\n'") == "'\\x1b[2J\\x0d\\n'");
  CHECK(escaped(std::string_view("\0\x7f\xff", 3)) == "\\x00\\x7f\\xff");
  CHECK(escaped("\u202e") == "\\xe2\\x80\\xae");
  CHECK(escaped("").empty());
}

}  // namespace
}  // namespace nestrt
