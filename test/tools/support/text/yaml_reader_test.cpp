// SPDX-License-Identifier: Apache-2.0
#include "tools/support/text/yaml_reader.h"

#include <catch2/catch.hpp>

namespace nestrt::tools::yaml {
namespace {

using Numbers = std::vector<double>;

Result<Numbers> numbers_of(const std::string& text, size_t max_size = 10) {
  return parse<Numbers>(text, "x.yaml", [&](const YAML::Node& root) -> Result<Numbers> {
    NESTRT_ASSIGN_OR_RETURN(const YAML::Node list, member(root, "list"));
    return numbers(list, "list", max_size, -100.0, 100.0);
  });
}

TEST_CASE("A list of numbers is read in every YAML form") {
  const Numbers expected{1, -2.5, 30};
  for (const char* text : {"list: [1, -2.5, 3e1]", "list: [ 1,\n  -2.5, 3e+1, ]", "list: [+1,-2.5,30]  # three",
                           "list:\n  [1, -2.5, 30]", "list:\n- 1\n- -2.5\n- 30", "{list: [1, -2.5, 30]}",
                           "list: [\"1\", -2.5, 30]", "name: \"a: [1,2]\"\nlist: [1, -2.5, 30]"}) {
    INFO(text);
    const auto read = numbers_of(text);
    INFO(read.error().to_string());
    REQUIRE(read);
    CHECK(*read == expected);
  }
  CHECK(numbers_of("list: []").value().empty());
}

TEST_CASE("A list that is too long, not numeric or unterminated is rejected with its line") {
  CHECK(numbers_of("list: [1, 2]", 2));
  for (const char* text : {"\nlist: [1, 2, 3]", "\nlist: [1, 101]", "\nlist: [1, , 2]", "\nlist: [1, 2 3]"}) {
    INFO(text);
    const auto read = numbers_of(text, 2);
    REQUIRE_FALSE(read);
    CHECK(read.error().message().find("line 2") != std::string_view::npos);
  }
  CHECK_FALSE(numbers_of("list: [1, 2"));
  CHECK_FALSE(numbers_of("list: [1, a]"));
}

TEST_CASE("Text that is not UTF-8 or would change when written is rejected") {
  const auto name_of = [](const std::string& text) {
    return parse<std::string>(text, "x.yaml", [](const YAML::Node& root) { return member_text(root, "name"); });
  };
  CHECK(name_of("name: caf\xc3\xa9").value() == "caf\xc3\xa9");
  for (const char* text : {"\nname: dat\xc7", "\nname: \"dat\xe1\"", "\nname: \xed\xa0\x80", "\nname: \"\\uFFFE\"",
                           "\nname: \xef\xb7\x90"}) {
    INFO(text);
    const auto read = name_of(text);
    REQUIRE_FALSE(read);
    CHECK_THAT(read.error().to_string(), Catch::Contains("UTF-8"));
  }
}

TEST_CASE("A YAML alias is rejected, but a star elsewhere is accepted") {
  const auto read = numbers_of("a: &a [1, 2]\nlist: *a");
  REQUIRE_FALSE(read);
  CHECK(read.error().message().find("alias") != std::string_view::npos);
  for (const char* text :
       {"list: [1]\nname: \"*a\"", "list: [1]  # *a", "list: [1]\nname: a*b", "list: [1]\nname: 2 *x"}) {
    INFO(text);
    CHECK(numbers_of(text));
  }
}

TEST_CASE("A YAML text with too many nodes per byte is rejected, but as many numbers are accepted") {
  std::string text = "list: [1";
  for (int i = 0; i < 1'000'000; ++i) text += ",1";
  const auto read = numbers_of(text + "]", 2'000'000);
  REQUIRE(read);
  CHECK(read->size() == 1'000'001);
  const auto refused = numbers_of(text + ",a]", 2'000'000);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().message().find("entries") != std::string_view::npos);
}

TEST_CASE("Text that only looks quoted does not hide nodes") {
  std::string many = "values: [1";
  for (int i = 0; i < 1'000'000; ++i) many += ",1";
  many += "]\n";
  for (const char* before : {"a: x \"\n", "a: it 's\n", "a: b\n   - \"c\nx: {k: \"\n ", "a: |\n  b: \"\nc: {k: \"\n ",
                             "{\"a\":\"foo: ", "# \r {k: \"\n ", "a: !t\"x: "}) {
    INFO(before);
    const auto read = numbers_of(before + many, 2'000'000);
    REQUIRE_FALSE(read);
    CHECK_THAT(read.error().to_string(), Catch::Contains("entries"));
  }
  CHECK_FALSE(numbers_of(", name: a\n  min:* -1.\n  max , "));
  const auto alias = numbers_of("q: x \"\na: &a [1, 2]\nlist: *a");
  REQUIRE_FALSE(alias);
  CHECK_THAT(alias.error().to_string(), Catch::Contains("line 3: has an alias"));
}

TEST_CASE("Text in an encoding other than UTF-8 is rejected") {
  using namespace std::string_literals;
  for (const std::string& text : {"\xff\xfel\0i\0"s, "l\0i\0s\0t\0"s, "list: [1, 2]\0"s, "\xfe\xff\0l"s}) {
    const auto read = numbers_of(text);
    REQUIRE_FALSE(read);
    CHECK_THAT(read.error().to_string(), Catch::Contains("UTF-8"));
  }
}

}  // namespace
}  // namespace nestrt::tools::yaml
