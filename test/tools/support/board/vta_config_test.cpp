// SPDX-License-Identifier: Apache-2.0
#include "tools/support/board/vta_config.h"

#include <catch2/catch.hpp>
#include <map>

#include "test/support/process/temporary_folder.h"
#include "tools/support/board/board.h"

namespace nestrt::tools {
namespace {

using Catch::Matchers::Contains;

// The keys as VTA writes them, with `changes`; an empty value removes a key.
std::string config(const std::map<std::string, std::string>& changes = {}) {
  std::map<std::string, std::string> keys = {
      {"TARGET", "\"ultra96\""},   {"HW_VER", "\"0.0.2\""},     {"LOG_INP_WIDTH", "3"},     {"LOG_WGT_WIDTH", "3"},
      {"LOG_ACC_WIDTH", "5"},      {"LOG_BATCH", "0"},          {"LOG_BLOCK", "4"},         {"LOG_UOP_BUFF_SIZE", "15"},
      {"LOG_INP_BUFF_SIZE", "15"}, {"LOG_WGT_BUFF_SIZE", "18"}, {"LOG_ACC_BUFF_SIZE", "17"}};
  for (const auto& [key, value] : changes) keys[key] = value;
  std::string text;
  for (const auto& [key, value] : keys)
    if (!value.empty()) text += (text.empty() ? "{\n  \"" : ",\n  \"") + key + "\" : " + value;
  return text + "\n}\n";
}

Result<std::string> name_of(const std::map<std::string, std::string>& changes) {
  const nestrt::test::TemporaryFolder folder;
  return read_vta_config(folder.write_text("vta_config.json", config(changes)));
}

TEST_CASE("A vta_config.json names the configuration with its sizes") {
  CHECK(*name_of({}) == "1x16_15_15_18_17");
  CHECK(*name_of({{"TARGET", ""}, {"HW_VER", ""}}) == "1x16_15_15_18_17");
  CHECK(*name_of({{"LOG_BLOCK", "3"},
                  {"LOG_UOP_BUFF_SIZE", "14"},
                  {"LOG_INP_BUFF_SIZE", "13"},
                  {"LOG_WGT_BUFF_SIZE", "15"},
                  {"LOG_ACC_BUFF_SIZE", "15"}}) == "1x8_14_13_15_15");
  CHECK(*name_of({{"LOG_BATCH", "1"}}) == "2x16_15_15_18_17");  // its reader rejects the batch
}

TEST_CASE("A vta_config.json of VTA's Chisel source names the design with fewer micro-ops") {
  for (const char* const target : {"\"tsim\"", "\"de10nano\""}) {
    CHECK(*name_of({{"TARGET", target}}) == "1x16_13_15_18_17");
    CHECK(*name_of({{"TARGET", target}, {"LOG_UOP_BUFF_SIZE", "13"}}) == "1x16_13_15_18_17");
    CHECK_FALSE(name_of({{"TARGET", target}, {"LOG_BLOCK", "5"}}));
  }
  const auto hls = name_of({{"LOG_UOP_BUFF_SIZE", "13"}});
  REQUIRE_FALSE(hls);
  CHECK_THAT(std::string(hls.error().message()), Contains("change LOG_UOP_BUFF_SIZE or TARGET"));
}

TEST_CASE("A vta_config.json with other types or without a size is rejected with the key") {
  const auto refused = [](const std::map<std::string, std::string>& changes, const std::string& part) {
    const auto name = name_of(changes);
    CAPTURE(part);
    REQUIRE_FALSE(name);
    CHECK(name.error().code() == Code::kInvalidArgument);
    CHECK_THAT(std::string(name.error().message()), Contains(part) && Contains("vta_config.json"));
  };
  refused({{"LOG_INP_WIDTH", "4"}}, "LOG_INP_WIDTH is 4, 16 bits; expected 3");
  refused({{"LOG_WGT_WIDTH", "2"}}, "LOG_WGT_WIDTH is 2, 4 bits; expected 3");
  refused({{"LOG_ACC_WIDTH", "4"}}, "LOG_ACC_WIDTH is 4, 16 bits; expected 5");
  refused({{"LOG_BLOCK", ""}}, "LOG_BLOCK is missing");
  refused({{"LOG_BLOCK", "\"4\""}}, "LOG_BLOCK is missing or not a number");
  refused({{"LOG_BLOCK", "4.5"}}, "LOG_BLOCK is 4.5; expected an integer");
  refused({{"LOG_UOP_BUFF_SIZE", "31"}}, "LOG_UOP_BUFF_SIZE is 31; expected an integer from 0 to 30");
  refused({{"LOG_BATCH", "-1"}}, "LOG_BATCH is -1");
}

TEST_CASE("A board file can name a vta_config.json next to it") {
  const nestrt::test::TemporaryFolder folder;
  const std::string file = folder.write_text("my.json", config({{"LOG_UOP_BUFF_SIZE", "14"}}));
  const std::string path =
      folder.write_text("b.yaml", "board: b\nunits: [{unit: cpu}, {unit: evta, configuration: my.json}]\n");
  const auto board = read_board(path, [](BoardUnit*) { return Status(); });
  REQUIRE(board);
  CHECK(board->units[1].configuration == "1x16_14_15_18_17");
  const std::vector<std::string> files = files_of_board(path);
  CHECK(std::find(files.begin(), files.end(), file) != files.end());
  folder.write_text("my.json", config({{"LOG_BLOCK", ""}}));
  const auto broken = read_board(path, [](BoardUnit*) { return Status(); });
  REQUIRE_FALSE(broken);
  CHECK_THAT(std::string(broken.error().message()), Contains("b.yaml") && Contains("LOG_BLOCK is missing"));
}

}  // namespace
}  // namespace nestrt::tools
