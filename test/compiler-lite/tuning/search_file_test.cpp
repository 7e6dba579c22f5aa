// SPDX-License-Identifier: Apache-2.0
#include "compiler-lite/tuning/search_file.h"

#include <catch2/catch.hpp>
#include <limits>

#include "test/support/process/temporary_folder.h"
#include "tools/support/text/files.h"

namespace nestrt::compiler {
namespace {

using Catch::Matchers::Contains;

std::vector<SearchRecord> sample_records() {
  SearchRecord record{"00112233445566778899001122334455", "ffeeddccbbaa99887766554433221100", {}, {}};
  record.tried = {{"--method mse --keep-f32 a: \"b\",c", {100, 100, 97, 88, 89, 21.5, 0.125, 12345}},
                  {"--method kl", {8, 64, 0, {}, {}, -std::numeric_limits<double>::infinity(), 0, 1}}};
  record.rankings = {{"--method kl", {{"conv\n1", 0.1, 1}, {"~", std::numeric_limits<double>::infinity(), 1e-9}}}};
  return {record, {"", "", {}, {}}};
}

std::string edited(const std::string& from, const std::string& to) {
  std::string text = format_search(sample_records());
  const size_t at = text.find(from);
  INFO(text);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

std::string complaint(const std::string& text) {
  const auto records = parse_search(text, "search.yaml");
  REQUIRE_FALSE(records);
  CHECK(records.error().code() == Code::kInvalidArgument);
  const std::string message(records.error().message());
  CHECK(message.starts_with("'search.yaml': "));
  return message;
}

}  // namespace

TEST_CASE("Search results survive a round trip through their file") {
  const std::string text = format_search(sample_records());
  const auto records = parse_search(text, "search.yaml");
  INFO(text);
  INFO(records.error().to_string());
  REQUIRE(records);
  CHECK(format_search(*records) == text);
  REQUIRE(records->size() == 2);
  const SearchRecord& record = records->front();
  CHECK(record.model == "00112233445566778899001122334455");
  REQUIRE(record.tried.size() == 2);
  CHECK(record.tried[0].options == "--method mse --keep-f32 a: \"b\",c");
  CHECK(record.tried[0].score.loss() == Approx(1));
  CHECK(record.tried[0].score.f32_share == 0.125);
  CHECK_FALSE(record.tried[1].score.right);
  CHECK(record.tried[1].score.loss() == 100);
  CHECK(record.rankings[0].layers[0].name == "conv\n1");
  CHECK(record.rankings[0].layers[1].decibel == std::numeric_limits<double>::infinity());
}

TEST_CASE("A damaged search file is rejected with line and remedy") {
  CHECK_THAT(complaint(edited("samples: 100", "samples: many")), Contains("line ") && Contains("got many"));
  CHECK_THAT(complaint(edited("agreeing: 97", "agreeing: 101")), Contains("from 0 to 100"));
  CHECK_THAT(complaint(edited("right_in_f32: 89", "wrong: 1")), Contains("'right_in_f32' is missing"));
  CHECK_THAT(complaint(edited("decibel: 21.5", "decibel: nan")), Contains("decibel"));
  CHECK_THAT(complaint(edited("f32_share: 0.125", "f32_share: 1.5")), Contains("from 0 to 1"));
  CHECK_THAT(complaint(edited("version: 1", "version: 2")), Contains("version"));
  CHECK_THAT(complaint(edited("quantization search", "quantization profile")), Contains("format: expected"));
  CHECK_THAT(complaint(edited("layers:", "layer:")), Contains("'layers' is missing"));
  CHECK_THAT(complaint("- 1\n"), Contains("not a search file"));
  CHECK_THAT(complaint("format: nestrt quantization search\nversion: 1\nsearches: 5\n"), Contains("expected a list"));
  CHECK_THAT(complaint("format: nestrt quantization search\nversion: 1\nsearches: [5]\n"), Contains("expected a map"));
  CHECK_THAT(complaint("{"), Contains("malformed YAML"));
}

TEST_CASE("Every truncation of a search file is rejected or consistent") {
  const std::string text = format_search(sample_records());
  for (size_t length = 0; length < text.size(); length += 3) {
    const auto records = parse_search(text.substr(0, length), "search.yaml");
    if (!records) continue;
    for (const SearchRecord& record : *records)
      for (const TriedOptions& tried : record.tried) CHECK(tried.score.agreeing <= tried.score.rows);
  }
}

TEST_CASE("Names that YAML cannot represent are rejected") {
  const test::TemporaryFolder folder;
  for (const bool in_options : {true, false}) {
    auto records = sample_records();
    (in_options ? records[0].tried[0].options : records[0].rankings[0].layers[0].name) =
        "--keep-f32 \xff"
        "1";
    const Status status = save_search(records, folder.path() + "/search.yaml");
    CHECK(status.code() == Code::kInvalidArgument);
    CHECK_THAT(status.to_string(), Contains("cannot be stored in a YAML file"));
  }
}

TEST_CASE("A search file that does not exist has no results") {
  const test::TemporaryFolder folder;
  const std::string path = folder.path() + "/search.yaml";
  auto records = load_search(path);
  REQUIRE(records);
  CHECK(records->empty());
  find_or_add(*records, "m", "d").tried.push_back({"--method kl", {1, 1, 1, {}, {}, 0, 0, 0}});
  CHECK(&find_or_add(*records, "m", "d") == &records->front());
  find_or_add(*records, "m", "e");
  REQUIRE(save_search(*records, path).ok());
  records = load_search(path);
  REQUIRE(records);
  CHECK(records->size() == 2);
  CHECK_FALSE(load_search(folder.path()));
}

}  // namespace nestrt::compiler
