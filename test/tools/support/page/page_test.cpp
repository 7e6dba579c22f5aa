// SPDX-License-Identifier: Apache-2.0
#include "tools/support/page/page.h"

#include <catch2/catch.hpp>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "test/support/process/temporary_folder.h"

namespace nestrt::tools {
namespace {

using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;

// Returns the data that the page's script reads: from the data element up to the next end of a script.
nlohmann::json data_of(const Page& page) {
  const std::string html = page.to_html(), tag = R"(<script type="application/json" id="data">)";
  const size_t begin = html.find(tag) + tag.size();
  return nlohmann::json::parse(html.substr(begin, html.find("</script>", begin) - begin));
}

nlohmann::json only_figure_of(const Page& page) {
  const nlohmann::json figures = data_of(page)["figures"];
  REQUIRE(figures.size() == 1);
  return figures[0];
}

TEST_CASE("A page is a single self-contained document") {
  const std::string html = Page("title", "subtitle").to_html();
  CHECK_THAT(html, StartsWith("<!doctype html>"));
  CHECK_THAT(html, Contains("default-src 'none'"));
  CHECK_THAT(html, !Contains(" src=") && !Contains("<link") && !Contains("@PAGE") && !Contains("@import"));
}

TEST_CASE("A name cannot terminate the data of a page") {
  Page page("</script><script>alert(1)</script>", "<!--");
  page.add_bars("bars", "ms", {{"</script><img src=x>", 1, "<b>", {{"</SCRIPT>", "<!--<script>"}}}});
  const std::string html = page.to_html();
  CHECK_THAT(html, !Contains("<script>alert") && !Contains("<img") && !Contains("</SCRIPT>") && !Contains("<!--"));
  CHECK(data_of(page)["title"] == "</script><script>alert(1)</script>");
  CHECK(only_figure_of(page)["bars"][0]["name"] == "</script><img src=x>");
}

TEST_CASE("A page escapes characters in names that would reorder or hide text") {
  Page page("a\x1b[2Jb", "");
  page.add_facts("facts", {{"name", "x\xe2\x80\xaey"}});
  CHECK(data_of(page)["title"] == "a\\x1b[2Jb");
  CHECK(only_figure_of(page)["rows"][0][1] == "x\\u202ey");
}

TEST_CASE("A table on a page has the same cells as the printed table") {
  Table table({{"name"}, {"ms", Align::kRight}});
  table.add_row({"conv", "1.5"});
  Page page("t", "");
  page.add_table("times", table, "a note");
  const nlohmann::json figure = only_figure_of(page);
  CHECK(figure["kind"] == "table");
  CHECK(figure["note"] == "a note");
  CHECK(figure["columns"] == nlohmann::json::parse(R"([{"title":"name","right":false},{"title":"ms","right":true}])"));
  CHECK(figure["rows"] == nlohmann::json::parse(R"([["conv","1.5"]])"));
}

TEST_CASE("A timeline starts at zero, and enclosing spans come first") {
  ChromeTrace trace;
  const uint32_t track = trace.add_track("units", "cpu");
  trace.add({track, "inner", "operator", 110, 115, nullptr});
  trace.add({track, "outer", "step", 100, 120, nullptr});
  Page page("t", "");
  page.add_timeline("runs", trace);
  const nlohmann::json figure = only_figure_of(page);
  CHECK(figure["tracks"] == nlohmann::json::parse(R"(["cpu"])"));
  CHECK(figure["spans"][0]["name"] == "outer");
  CHECK(figure["spans"][0]["start"] == 0);
  CHECK(figure["spans"][1]["start"] == 10);
  CHECK(figure["spans"][1]["end"] == 15);
}

TEST_CASE("The roof is the highest speed and the highest bandwidth of all points") {
  Page page("t", "");
  page.add_roofline("roof",
                    {{"dense", 100, 50e9, 0.5, "cpu"}, {"narrow", 0.5, 4e9, 0.5, "cpu"}, {"none", 0, 1e9, 0, ""}});
  const nlohmann::json figure = only_figure_of(page);
  CHECK(figure["peak"] == 50.0);
  CHECK(figure["slope"] == 8.0);
  CHECK(figure["points"].size() == 2);
}

TEST_CASE("Empty figures are omitted") {
  Page page("t", "");
  page.add_bars("bars", "ms", {});
  page.add_roofline("roof", {});
  page.add_graph("graph", {}, {});
  page.add_memory("memory", {}, 3, 0);
  page.add_timeline("runs", ChromeTrace());
  CHECK(data_of(page)["figures"].empty());
}

TEST_CASE("A page is written completely or rejected") {
  const test::TemporaryFolder folder;
  const Page page("t", "");
  const std::string path = folder.path() + "/page.html";
  REQUIRE(write_page(path, page).ok());
  std::ifstream file(path);
  CHECK(std::string(std::istreambuf_iterator<char>(file), {}) == page.to_html());
  CHECK(!write_page(folder.path() + "/absent/page.html", page).ok());
}

}  // namespace
}  // namespace nestrt::tools
