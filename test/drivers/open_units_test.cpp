// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <cmath>
#include <utility>

#include "drivers/evta/isa/configuration.h"
#include "nestrt/open_units.h"
#include "test/drivers/conformance/tested_plan.h"
#include "test/support/evta/evta_configuration.h"
#include "test/support/plan/copy_plan.h"

namespace nestrt {
namespace {

TEST_CASE("The CPU opens with the requested number of threads") {
  UnitOptions options;
  options.num_threads = 3;
  const auto units = open_units("cpu", options);
  REQUIRE(units);
  REQUIRE(units->size() == 1);
  CHECK((*units)[0]->info().kind == "cpu");
  CHECK((*units)[0]->info().num_threads == 3);
  CHECK((*units)[0]->info().is_host);
  CHECK((*units)[0]->host() != nullptr);
}

TEST_CASE("Unknown units are rejected with the list of known ones") {
  for (const char* spec : {"tpu", "", "cpu,", "cpu,cpu", "cpu:1x16_15_15_18_17", "evta:1x1", "evta:5_1x16_15_15_18_17",
                           "evta:2_", "evta:2_2_1x16_15_15_18_17", "cpu:sim"}) {
    const auto units = open_units(spec);
    REQUIRE_FALSE(units);
    CHECK(units.error().code() == Code::kInvalidArgument);
  }
  CHECK(open_units("tpu").error().message() == "unknown unit 'tpu'; available: cpu, evta, and the units of a plug-in");
  CHECK(open_units("evta:1x1").error().message().find("available: 1x16_15_15_18_17, 1x32_15_15_18_17, ") !=
        std::string_view::npos);
}

TEST_CASE("A missing accelerator is unavailable and a simulated one is suggested, not used") {
  const auto units = open_units("cpu,evta", {.num_threads = 1});
  REQUIRE_FALSE(units);
  CHECK(units.error().code() == Code::kUnavailable);
  CHECK(units.error().message().find("no accelerator for 'evta': ") == 0);
  CHECK(units.error().message().find("; use 'evta:sim' for a simulated one") != std::string_view::npos);
}

TEST_CASE("One option simulates all accelerators") {
  const auto units = open_units("evta,evta:1x32_15_15_18_17", {.transport = "sim"});
  REQUIRE(units);
  CHECK(units->size() == 2);
  CHECK(open_units("evta", {.transport = "pigeon"}).error().code() == Code::kInvalidArgument);
}

TEST_CASE("Instances of EVTA are numbered, each with its configuration") {
  const auto units = open_units("evta:1x32_15_15_18_17,cpu,evta:sim", {.num_threads = 1, .transport = "sim"});
  REQUIRE(units);
  REQUIRE(units->size() == 3);
  CHECK((*units)[0]->info().name == "evta0");
  CHECK((*units)[0]->info().configuration == "1x32_15_15_18_17");
  CHECK((*units)[2]->info().name == "evta1");
  CHECK((*units)[2]->info().configuration == "1x16_15_15_18_17");
}

TEST_CASE("A configuration's prefix opens several instances of it") {
  const auto units = open_units("evta:sim:2_1x32_15_15_18_17,evta:sim", {.num_threads = 1});
  REQUIRE(units);
  REQUIRE(units->size() == 3);
  CHECK((*units)[1]->info().name == "evta1");
  CHECK((*units)[1]->info().configuration == "1x32_15_15_18_17");
  CHECK((*units)[2]->info().name == "evta2");
}

TEST_CASE("A session uses programs for its unit's configuration and runs others on the host") {
  const test::TestedPlan plan(evta::test::copy_plan(evta::test::stock_configuration()).build());
  const std::pair<const char*, const char*> cases[] = {{"cpu,evta:sim", "evta0"},
                                                       {"evta:sim,cpu", "evta0"},
                                                       {"evta:sim", "evta0"},
                                                       {"evta:sim:1x32_15_15_18_17,cpu", "cpu"},
                                                       {"evta:sim:1x32_15_15_18_17,cpu,evta:sim", "evta1"}};
  for (const auto& [spec, expected] : cases) {
    INFO(spec);
    const auto units = open_units(spec, {.num_threads = 1});
    REQUIRE(units);
    const auto session = plan.open(*units);
    REQUIRE(session->operators().size() == 1);
    CHECK(session->operators()[0].unit == expected);
    CHECK(plan.is_right(*session, 1));
  }
}

TEST_CASE("A list of all units reports how each was opened or why it was not") {
  const auto units = list_units({.num_threads = 1});
  REQUIRE(units);
  REQUIRE(units->size() >= 3);
  CHECK((*units)[0].unit == "cpu");
  CHECK((*units)[0].usable.ok());
  CHECK((*units)[1].unit == "evta");
  CHECK(units->back().unit == "evta:sim");
  CHECK(units->back().configuration == "1x16_15_15_18_17");
  CHECK(units->back().usable.ok());
}

TEST_CASE("Invalid paces are rejected") {
  for (const double pace : {-1.0, 1e300, std::nan("")})
    CHECK(open_units("evta:sim", {.pace = pace}).error().code() == Code::kInvalidArgument);
}

TEST_CASE("Invalid numbers of threads are rejected") {
  UnitOptions options;
  options.num_threads = -1;
  CHECK(open_units("cpu", options).error().code() == Code::kInvalidArgument);
}

}  // namespace
}  // namespace nestrt
