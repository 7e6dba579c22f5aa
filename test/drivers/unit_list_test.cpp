// SPDX-License-Identifier: Apache-2.0
#include "drivers/unit_list.h"

#include <catch2/catch.hpp>

namespace nestrt {
namespace {

TEST_CASE("An entry of a unit list is a kind, with a configuration after the first colon") {
  const auto requests = parse_unit_list("evta:2_1x16:x,cpu,evta:");
  REQUIRE(requests.size() == 3);
  CHECK(requests[0].text == "evta:2_1x16:x");
  CHECK(requests[0].kind == "evta");
  CHECK(requests[0].configuration == "2_1x16:x");
  CHECK(requests[1].text == "cpu");
  CHECK(requests[1].kind == "cpu");
  CHECK_FALSE(requests[1].configuration);
  CHECK(requests[2].kind == "evta");
  CHECK(requests[2].configuration == "");
}

TEST_CASE("A transport may precede or replace a configuration") {
  const auto requests = parse_unit_list("evta:sim,evta:xrt:2_1x16,evta:simple,evta:sim:");
  REQUIRE(requests.size() == 4);
  CHECK(requests[0].kind == "evta");
  CHECK(requests[0].transport == "sim");
  CHECK_FALSE(requests[0].configuration);
  CHECK(requests[1].transport == "xrt");
  CHECK(requests[1].configuration == "2_1x16");
  CHECK_FALSE(requests[2].transport);
  CHECK(requests[2].configuration == "simple");
  CHECK(requests[3].transport == "sim");
  CHECK(requests[3].configuration == "");
}

TEST_CASE("The text between two commas is an entry, even if empty") {
  CHECK(parse_unit_list("").size() == 1);
  const auto requests = parse_unit_list("cpu,,");
  REQUIRE(requests.size() == 3);
  CHECK(requests[1].text.empty());
  CHECK(requests[2].kind.empty());
}

}  // namespace
}  // namespace nestrt
