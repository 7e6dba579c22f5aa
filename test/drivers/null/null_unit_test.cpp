// SPDX-License-Identifier: Apache-2.0
// Tests behaviour of the null unit that the conformance suite does not cover.
#include "drivers/null/null_unit.h"

#include <catch2/catch.hpp>

#include "nestrt/log.h"
#include "test/drivers/conformance/prepared_copy.h"
#include "test/drivers/null/copy_program.h"
#include "test/support/plan/copy_plan.h"

namespace nestrt::null::test {
namespace {

nestrt::test::PlanFile copy_file() {
  auto builder = evta::test::copy_plan(evta::kConfigurations[0]);
  add_programs(builder);
  return builder.build();
}

TEST_CASE("Null units have distinct numbers") {
  const auto unit = open_null_unit(3);
  REQUIRE(unit);
  CHECK((*unit)->info().kind == "null");
  CHECK((*unit)->info().name == "null3");
  CHECK((*unit)->info().configuration == kConfiguration);
}

TEST_CASE("A null unit does not open on a device that does not work") {
  const auto device = std::make_shared<Device>();
  device->next_run(Fault::kError);
  set_log_level(LogLevel::kError);
  const auto unit = open_null_unit(0, device);
  set_log_level(LogLevel::kWarning);
  REQUIRE_FALSE(unit);
  CHECK(unit.error().code() == Code::kUnavailable);
  CHECK(unit.error().message() == "null0: the device reports an error, in a probe");
}

TEST_CASE("A null unit that has failed rejects work with the reason until a probe succeeds") {
  const auto device = std::make_shared<Device>();
  const auto unit = open_null_unit(0, device);
  REQUIRE(unit);
  nestrt::test::PreparedCopy copy(**unit, copy_file());
  device->next_run(Fault::kError);
  set_log_level(LogLevel::kError);
  CHECK(copy.run().message() == "null0: the device reports an error");
  set_log_level(LogLevel::kWarning);
  const Status refused = copy.run();
  CHECK(refused.code() == Code::kUnavailable);
  CHECK(refused.message() == "null0: the device reports an error; in quarantine until a probe succeeds");
  CHECK(copy.is_unchanged());
  CHECK((*unit)->probe().ok());
  check_runs(copy);
}

TEST_CASE("A null unit runs submissions in order") {
  const auto device = std::make_shared<Device>();
  const auto unit = open_null_unit(0, device);
  REQUIRE(unit);
  nestrt::test::PreparedCopy first(**unit, copy_file()), second(**unit, copy_file());
  for (int run = 0; run < 20; ++run) {
    second.submit();
    first.submit();
    CHECK(first.wait().ok());
    CHECK(second.completion.done());
    CHECK(second.wait().ok());
  }
}

}  // namespace
}  // namespace nestrt::null::test
