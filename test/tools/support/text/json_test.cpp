// SPDX-License-Identifier: Apache-2.0
#include "tools/support/text/json.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "test/support/process/temporary_folder.h"
#include "tools/support/text/files.h"

namespace nestrt::tools {
namespace {

TEST_CASE("Members stay in the order in which they were set") {
  Json json{{"zebra", 1}, {"ant", "two"}};
  json.set("mole", nullptr);
  json.set("zebra", 3);
  CHECK(json.to_string() == "{\n  \"zebra\": 3,\n  \"ant\": \"two\",\n  \"mole\": null\n}\n");
}

TEST_CASE("Values keep their types and all their digits") {
  const std::string text = "text";
  const Json list = [&] {
    Json values = Json::array();
    for (const Json& value :
         {Json(true), Json(-1), Json(std::numeric_limits<int64_t>::min()), Json(std::numeric_limits<uint64_t>::max()),
          Json(0.1), Json(2.0), Json(text), Json(std::string_view(text).substr(1)), Json("c")})
      values.push_back(value);
    return values;
  }();
  CHECK(list.to_string() ==
        "[\n  true,\n  -1,\n  -9223372036854775808,\n  18446744073709551615,\n  0.1,\n  2.0,\n  \"text\",\n  \"ext\",\n"
        "  \"c\"\n]\n");
}

TEST_CASE("Numbers that are not finite become null") {
  const std::vector<double> values{std::numeric_limits<double>::infinity(), std::nan("")};
  CHECK(Json::array(values).to_string() == "[\n  null,\n  null\n]\n");
}

TEST_CASE("Objects and lists nest, including empty ones") {
  const Json json{{"inner", {{"list", Json::array(std::vector<int>{1, 2})}}}, {"empty", Json::array()}, {"none", {}}};
  CHECK(json.to_string() ==
        "{\n  \"inner\": {\n    \"list\": [\n      1,\n      2\n    ]\n  },\n  \"empty\": [],\n  \"none\": null\n}\n");
}

TEST_CASE("Null becomes a list or an object when the first value is added") {
  Json list, object;
  CHECK(list.is_null());
  list.push_back("first");
  object.set("name", "value");
  CHECK(list.to_string() == "[\n  \"first\"\n]\n");
  CHECK(object.to_string() == "{\n  \"name\": \"value\"\n}\n");
  CHECK_FALSE(list.is_null());
}

TEST_CASE("Copies of JSON values are independent") {
  Json first{{"a", 1}};
  Json second = first;
  second.set("a", 2);
  CHECK(first.to_string() == "{\n  \"a\": 1\n}\n");
  first = std::move(second);
  CHECK(first.to_string() == "{\n  \"a\": 2\n}\n");
}

TEST_CASE("Text is escaped, and bytes that are not UTF-8 are replaced") {
  CHECK(Json("\"\\\n\x01ß").to_string() == "\"\\\"\\\\\\n\\u0001ß\"\n");
  CHECK(Json("a\xff").to_string() == "\"a\ufffd\"\n");
}

TEST_CASE("JSON files end with a newline") {
  const test::TemporaryFolder folder;
  const std::string path = folder.path() + "/x.json";
  REQUIRE(write_json(path, {{"a", Json::array()}}).ok());
  CHECK(read_lines(path)->lines() == std::vector<std::string_view>{"{", "  \"a\": []", "}"});
  CHECK_FALSE(write_json(folder.path() + "/absent/x.json", {}).ok());
}

}  // namespace
}  // namespace nestrt::tools
