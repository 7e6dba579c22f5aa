// SPDX-License-Identifier: Apache-2.0
#include "tools/support/text/yaml_text.h"

#include <catch2/catch.hpp>

namespace nestrt::tools::yaml {
namespace {

TEST_CASE("Lists of numbers become one scalar if they are certainly lists") {
  CHECK(join_number_lists("it's: [1,2]").text == "it's: \"1,2\"");
  CHECK(join_number_lists("a: \"[\"  # \"\nlist: [ 1,\n 2 ]").text == "a: \"[\"  # \"\nlist: \" 1,\n 2 \"");
  CHECK(join_number_lists("a: 'it''s'\nlist: [1,2]").text == "a: 'it''s'\nlist: \"1,2\"");
  CHECK(join_number_lists("list: [1,\n2, - 3]").separators == 4);
}

TEST_CASE("Quotations and comments stay unchanged, and so does all text after an ambiguous one") {
  for (const char* text : {"name: \"a: [1,2]\"", "name: 'a: [1,2]'", "name: \"\\\" : [1,2]\"", "# list: [1,2]\n",
                           "name: a[1,2]", "[1, 2]", "list: [[1], [2]]", "list: [1]", "a: x \"\nlist: [1,2]",
                           "a: |\n  x\nlist: [1,2]", "a: &b c\nlist: [1,2]", "# x\rlist: [1,2]", "[]#\nlist: [1,2]"}) {
    INFO(text);
    const JoinedText joined = join_number_lists(text);
    CHECK(joined.text == text);
    CHECK(joined.separators == 0);
  }
}

TEST_CASE("Lists of one number are scanned to their end instead of the end of the text") {
  constexpr size_t kLists = 3 << 20;  // scanning each to the end of the text would take 3 * 10^13 steps
  const std::string_view line = "a: [1]\n";
  std::string text;
  text.reserve(kLists * line.size() + 10);
  for (size_t i = 0; i < kLists; ++i) text += line;
  const JoinedText joined = join_number_lists(text + "b: [1,2]\n");
  CHECK(joined.text.compare(0, text.size(), text) == 0);
  CHECK(joined.text.substr(text.size()) == "b: \"1,2\"\n");
}

}  // namespace
}  // namespace nestrt::tools::yaml
