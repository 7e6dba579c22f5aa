// SPDX-License-Identifier: Apache-2.0
#include "drivers/null/program.h"

#include <catch2/catch.hpp>

#include "nestrt/driver/plan_tables.h"
#include "test/drivers/null/copy_program.h"

namespace nestrt::null::test {
namespace {

using nestrt::test::PlanBuilder;
using nestrt::test::PlanFile;

std::vector<std::byte> blob_of(const std::vector<BlobCopy>& copies) { return encode_blob(copies); }

// Returns a plan for y = x, 2x3 of s8, with a program for the null unit.
PlanBuilder plan_of(std::span<const std::byte> blob) {
  PlanBuilder builder;
  const int x = builder.input("x", {2, 3}, DataType::kS8), y = builder.output("y", {2, 3}, DataType::kS8);
  builder.op("copy", ops::Transpose{.permutation = {0, 1}}, {x}, {y});
  add_program(builder, 0, blob);
  return builder;
}

Result<std::vector<Copy>> read(PlanBuilder builder) {
  const PlanFile file = builder.build();
  const auto plan = Plan::from_memory(file.bytes());
  if (!plan) FAIL(plan.error().to_string());
  return read_program(**plan, (*plan)->tables().branches[0].programs[1]);
}

Status error_of(PlanBuilder builder) {
  const auto copies = read(std::move(builder));
  REQUIRE_FALSE(copies);
  return copies.error();
}

plan::Program& program_of(PlanBuilder& builder) { return builder.tables().branches[0].programs[1]; }

TEST_CASE("A program of the null unit copies from buffer to buffer of the plan") {
  const auto copies = read(plan_of(blob_of({{0, 1}})));
  REQUIRE(copies);
  REQUIRE(copies->size() == 1);
  const Copy& copy = (*copies)[0];
  CHECK(copy.from.buffer == 0);
  CHECK(copy.to.buffer == 1);
  CHECK(copy.from.offset == 0);
  CHECK(copy.to.offset == 0);
  CHECK(copy.size == 6);
}

TEST_CASE("A program of the null unit may copy a segment, which is a constant of the plan") {
  PlanBuilder builder = plan_of(blob_of({{2, 1}}));
  plan::Program& program = program_of(builder);
  plan::ProgramRange segment;
  segment.address = 100;
  segment.size = program.ranges[1].size;
  program.ranges.push_back(segment);
  const auto copies = read(std::move(builder));
  REQUIRE(copies);
  CHECK((*copies)[0].from.buffer == 2);
}

TEST_CASE("An invalid blob is rejected by the null unit") {
  std::vector<std::byte> other = blob_of({{0, 1}});
  other[3] = std::byte{'2'};
  const Status format = error_of(plan_of(other));
  CHECK(format.code() == Code::kIncompatible);
  CHECK(format.message() == "the program has a format that unit 'null' does not support; recompile the model");

  std::vector<std::byte> more = blob_of({{0, 1}});
  more[4] = std::byte{2};
  CHECK(error_of(plan_of(more))
            .message()
            .find("a program for unit 'null' declares 2 copies, but its copies have 8 bytes") !=
        std::string_view::npos);
  const std::vector<std::byte> header = blob_of({});
  CHECK(error_of(plan_of(std::span(header).first(7))).message().find("of 7 bytes has no header") !=
        std::string_view::npos);
}

TEST_CASE("A program for a different null unit, or of a different kind, is rejected") {
  PlanBuilder other = plan_of(blob_of({{0, 1}}));
  program_of(other).configuration = "copies-2";
  const Status configuration = error_of(std::move(other));
  CHECK(configuration.code() == Code::kIncompatible);
  CHECK(configuration.message() ==
        "the program is for configuration 'copies-2', but the unit has 'copies-1'; recompile the model");
  PlanBuilder instructions = plan_of(blob_of({{0, 1}}));
  program_of(instructions).kind = plan::ProgramKind::kInstructions;
  CHECK(error_of(std::move(instructions)).code() == Code::kInvalidPlan);
  PlanBuilder any = plan_of(blob_of({{0, 1}}));
  program_of(any).configuration.clear();
  CHECK(read(std::move(any)));
}

TEST_CASE("A copy that leaves its memory, or writes a read-only range, is rejected by its number") {
  const auto message = [](const std::vector<BlobCopy>& copies) {
    const Status status = error_of(plan_of(blob_of(copies)));
    CHECK(status.code() == Code::kInvalidPlan);
    return std::string(status.message());
  };
  CHECK(message({{0, 1}, {2, 1}}).starts_with("copy 1: copies range 2 to range 1, but has 2 ranges"));
  CHECK(message({{0, 0xffffffff}}).starts_with("copy 0: copies range 0 to range 4294967295, but has 2 ranges"));
  CHECK(message({{1, 0}}).starts_with(
      "copy 0: copies range 1, which has access write, to range 0, which has access read"));
  CHECK(message({}).starts_with("does not write the result range 1"));

  PlanBuilder shorter = plan_of(blob_of({{0, 1}}));
  program_of(shorter).ranges[0].size = 5;
  CHECK(error_of(std::move(shorter)).message().starts_with("copy 0: copies 5 bytes of range 0 to 6 bytes of range 1"));
}

}  // namespace
}  // namespace nestrt::null::test
