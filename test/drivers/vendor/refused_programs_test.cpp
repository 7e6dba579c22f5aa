// SPDX-License-Identifier: Apache-2.0
// Tests that the host runs programs that a plug-in rejects, from the first run on, for every kind of schedule.
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "drivers/vendor/vendor_unit.h"
#include "nestrt/log.h"
#include "nestrt/open_units.h"
#include "test/drivers/conformance/tested_plan.h"
#include "test/drivers/vendor/skeleton_programs.h"
#include "test/support/plan/copy_plan.h"

namespace nestrt::vendor::test {
namespace {

// Every `refuse_every`-th loaded program is rejected.
int refuse_every = 1, loads = 0;

nestrt_vendor_status refuse(nestrt_vendor_device* device, const void* blob, uint64_t bytes,
                            nestrt_vendor_program** program, nestrt_vendor_ports* ports, nestrt_vendor_message* why) {
  if (++loads % refuse_every != 0) return skeleton().load(device, blob, bytes, program, ports, why);
  std::string("made for another version").copy(why->text, sizeof why->text - 1);
  return NESTRT_VENDOR_INVALID_BLOB;
}

class RefusingUnits {
 public:
  explicit RefusingUnits(int every) {
    refuse_every = every;
    loads = 0;
    functions_.load = refuse;
    auto plugin = make_plugin("npu.so", &functions_);
    REQUIRE(plugin);
    auto unit = open_vendor_unit(*plugin, 0);
    REQUIRE(unit);
    units_ = {std::move(*unit), open_units("cpu", {.num_threads = 1})->front()};
    set_log_hook([this](LogLevel, std::string_view line) { lines_.emplace_back(line); });
  }
  ~RefusingUnits() { set_log_hook({}); }
  RefusingUnits(const RefusingUnits&) = delete;

  const UnitList& units() const { return units_; }
  const std::vector<std::string>& lines() const { return lines_; }

 private:
  nestrt_vendor_functions functions_ = skeleton();
  UnitList units_;
  std::vector<std::string> lines_;
};

TEST_CASE("A session runs programs that a plug-in rejects on the host and reports it once") {
  RefusingUnits refusing(1);
  const nestrt::test::TestedPlan plan(skeleton_copy_file());
  const auto session = plan.open(refusing.units());
  for (uint32_t seed = 0; seed < 3; ++seed) CHECK(plan.is_right(*session, seed));
  CHECK(session->num_host_fallbacks() == 0);
  CHECK(nestrt::test::count_operators_on(*session, "skeleton0") == 0);
  REQUIRE(refusing.lines().size() == 1);
  CHECK_THAT(refusing.lines()[0],
             Catch::Contains("the CPU computes 1 branch whose program unit 'skeleton0' rejects: ") &&
                 Catch::Contains("made for another version"));
}

TEST_CASE("A plug-in runs the programs that it accepts when it rejects others") {
  auto builder = evta::test::random_network(evta::kConfigurations[0], 12, 5);
  add_skeleton_programs(builder);
  const nestrt::test::TestedPlan plan(builder.build());
  RefusingUnits taking(1 << 30);
  const int all = nestrt::test::count_operators_on(*plan.open(taking.units()), "skeleton0");
  REQUIRE(all >= 4);
  for (const int every : {2, 3}) {
    RefusingUnits refusing(every);
    const auto session = plan.open(refusing.units());
    CHECK(nestrt::test::count_operators_on(*session, "skeleton0") == all - all / every);
    CHECK(plan.is_right(*session, 7));
    CHECK(session->num_host_fallbacks() == 0);
  }
}

TEST_CASE("Measured schedules also exclude programs that a plug-in rejects") {
  const auto file = skeleton_copy_file();
  const auto plan = Plan::from_memory(file.bytes());
  REQUIRE(plan);
  SessionOptions options;
  options.costs.measure = Measuring::kBefore;
  options.costs.keep = false;
  for (const int every : {1, 1 << 30}) {
    RefusingUnits refusing(every);
    const auto session = Session::create(*plan, refusing.units(), options);
    REQUIRE(session);
    CHECK(refusing.lines().size() == (every == 1 ? 1 : 0));
  }
}

TEST_CASE("A rejected program without a fallback is an error that names the plug-in") {
  RefusingUnits refusing(1);
  const auto file = skeleton_copy_file();
  const auto plan = Plan::from_memory(file.bytes());
  REQUIRE(plan);
  const auto session = Session::create(*plan, {refusing.units()[0]}, {});
  REQUIRE_FALSE(session);
  CHECK_THAT(session.error().to_string(), Catch::Contains("npu.so") && Catch::Contains("made for another version"));
}

}  // namespace
}  // namespace nestrt::vendor::test
