// SPDX-License-Identifier: Apache-2.0
#include "tools/support/text/table.h"

#include <catch2/catch.hpp>

namespace nestrt::tools {
namespace {

TEST_CASE("Table columns are aligned and lines have no trailing space") {
  Table table({{"name", Align::kLeft}, {"ms", Align::kRight}, {"note", Align::kLeft}});
  table.add_row({"a", "10.5", "x"});
  table.add_row({"größer", "1"});
  CHECK(table.to_string() ==
        "name      ms  note\n"
        "------  ----  ----\n"
        "a       10.5  x\n"
        "größer     1\n");
}

TEST_CASE("Columns stay aligned with wide and combining characters") {
  Table table({{"name"}, {"ms", Align::kRight}});
  table.add_row({"网络", "1"});
  table.add_row({"re\u0301seau", "10"});
  table.add_row({"ネットワーク", "2"});
  CHECK(table.to_string() ==
        "name          ms\n"
        "------------  --\n"
        "网络           1\n"
        "re\u0301seau        10\n"
        "ネットワーク   2\n");
}

TEST_CASE("A table without titles has no header") {
  Table table({{""}, {""}});
  table.add_row({"arena", "3 KB"});
  CHECK(table.to_string() == "arena  3 KB\n");
}

TEST_CASE("Numbers are formatted with unit prefixes") {
  CHECK(format_bytes(999) == "999 B");
  CHECK(format_bytes(1250) == "1.2 KB");
  CHECK(format_bytes(999999) == "1.0 MB");
  CHECK(format_count(349.2e6, "MAC") == "349.2 MMAC");
  CHECK(format_count(0, "MAC") == "0 MAC");
  CHECK(format_ms(0.1234) == "0.123 ms");
  CHECK(format_ms(12.34) == "12.3 ms");
}

}  // namespace
}  // namespace nestrt::tools
