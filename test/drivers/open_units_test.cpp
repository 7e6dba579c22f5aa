#include <catch2/catch.hpp>
#include <cmath>
#include <utility>

#include "drivers/evta/isa/configuration.h"
#include "nestrt/open_units.h"
#include "test/drivers/conformance/tested_plan.h"
#include "test/support/copy_plan.h"
#include "test/support/evta_configuration.h"

namespace nestrt {
namespace {

TEST_CASE("The CPU is there with the threads asked for") {
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

TEST_CASE("Unknown units are refused with the list of those that exist") {
  for (const char* spec : {"tpu", "", "cpu,", "cpu,cpu", "cpu:1x16_15_15_18_17", "evta:1x1", "evta:5_1x16_15_15_18_17",
                           "evta:2_", "evta:2_2_1x16_15_15_18_17"}) {
    const auto units = open_units(spec);
    REQUIRE_FALSE(units);
    CHECK(units.error().code() == Code::kInvalidArgument);
  }
  CHECK(open_units("tpu").error().message() == "there is no unit 'tpu'; nestrt has: cpu, evta");
  CHECK(open_units("evta:1x1").error().message().find("it has: 1x16_15_15_18_17, 1x32_15_15_18_17, ") !=
        std::string_view::npos);
}

TEST_CASE("Instances of EVTA are numbered, each with its configuration") {
  const auto units = open_units("evta:1x32_15_15_18_17,cpu,evta", {.num_threads = 1});
  REQUIRE(units);
  REQUIRE(units->size() == 3);
  CHECK((*units)[0]->info().name == "evta0");
  CHECK((*units)[0]->info().configuration == "1x32_15_15_18_17");
  CHECK((*units)[2]->info().name == "evta1");
  CHECK((*units)[2]->info().configuration == "1x16_15_15_18_17");
}

TEST_CASE("A configuration's prefix opens several instances of it") {
  const auto units = open_units("evta:2_1x32_15_15_18_17,evta", {.num_threads = 1});
  REQUIRE(units);
  REQUIRE(units->size() == 3);
  CHECK((*units)[1]->info().name == "evta1");
  CHECK((*units)[1]->info().configuration == "1x32_15_15_18_17");
  CHECK((*units)[2]->info().name == "evta2");
}

TEST_CASE("A session takes programs for the configuration that it opened, and leaves others to the host") {
  const test::TestedPlan plan(evta::test::copy_plan(evta::test::stock_configuration()).build());
  const std::pair<const char*, const char*> cases[] = {{"cpu,evta", "evta0"},
                                                       {"evta,cpu", "evta0"},
                                                       {"evta", "evta0"},
                                                       {"evta:1x32_15_15_18_17,cpu", "cpu"},
                                                       {"evta:1x32_15_15_18_17,cpu,evta", "evta1"}};
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

TEST_CASE("Impossible paces are refused") {
  for (const double pace : {-1.0, 1e300, std::nan("")})
    CHECK(open_units("evta", {.pace = pace}).error().code() == Code::kInvalidArgument);
}

TEST_CASE("Impossible numbers of threads are refused") {
  UnitOptions options;
  options.num_threads = -1;
  CHECK(open_units("cpu", options).error().code() == Code::kInvalidArgument);
}

}  // namespace
}  // namespace nestrt
