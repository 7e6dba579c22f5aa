// SPDX-License-Identifier: Apache-2.0
#include "tools/support/report/chrome_trace.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

namespace nestrt::tools {
namespace {

using Parsed = nlohmann::json;

std::vector<Parsed> events(const ChromeTrace& trace, const std::string& phase) {
  std::vector<Parsed> result;
  const Parsed file = Parsed::parse(trace.to_json().to_string());
  for (const Parsed& event : file["traceEvents"])
    if (event["ph"] == phase) result.push_back(event);
  return result;
}

TEST_CASE("A trace names its groups and tracks in order") {
  ChromeTrace trace;
  CHECK(trace.add_track("units", "cpu") == 0);
  CHECK(trace.add_track("session", "runs") == 1);
  CHECK(trace.add_track("units", "evta0\n") == 2);
  const std::vector<Parsed> names = events(trace, "M");
  REQUIRE(names.size() == 2 * 2 + 3 * 2);
  CHECK(names[0] ==
        Parsed{{"ph", "M"}, {"name", "process_name"}, {"pid", 1}, {"tid", 0}, {"args", {{"name", "units"}}}});
  CHECK(names[2]["args"]["name"] == "session");
  CHECK(names[6]["name"] == "thread_name");
  CHECK(names[6]["pid"] == 2);
  CHECK(names[8]["pid"] == 1);
  CHECK(names[8]["args"]["name"] == "evta0\\n");
  CHECK(names[9]["args"]["sort_index"] == 2);
}

TEST_CASE("Spans are complete events in microseconds, and enclosing spans come first") {
  ChromeTrace trace;
  const uint32_t track = trace.add_track("units", "cpu");
  trace.add({track, "inner", "operator", 10.00049, 12.5, nullptr});
  trace.add({track, "outer", "step", 10, 20.25, Json{{"branch", 3}}});
  const std::vector<Parsed> spans = events(trace, "X");
  REQUIRE(spans.size() == 2);
  CHECK(spans[0] == Parsed{{"ph", "X"},
                           {"name", "outer"},
                           {"cat", "step"},
                           {"pid", 1},
                           {"tid", 0},
                           {"ts", 10.0},
                           {"dur", 10.25},
                           {"args", {{"branch", 3}}}});
  CHECK(spans[1]["ts"] == 10.0);
  CHECK(spans[1]["dur"] == 2.5);
  CHECK_FALSE(spans[1].contains("args"));
}

}  // namespace
}  // namespace nestrt::tools
