// SPDX-License-Identifier: Apache-2.0
// Tests the verification of vendors' blobs and of the facts about them.
#include <catch2/catch.hpp>
#include <functional>
#include <limits>
#include <string>

#include "test/support/plan/sample_plans.h"

namespace nestrt::test {
namespace {

// y = relu(x), for which a vendor has a blob of two segments of 16 bytes.
struct BlobPlan {
  PlanBuilder builder;

  BlobPlan() {
    const int x = builder.input("x", {1, 4}), y = builder.output("y", {1, 4});
    const int segments[] = {builder.constant<float>("one", {4}, {1, 2, 3, 4}),
                            builder.constant<float>("two", {4}, {5, 6, 7, 8})};
    builder.op("y", unary(ops::UnaryKind::kRelu), {x}, {y});
    builder.build();  // completes the tables
    plan::Program program;
    program.unit = "npu";
    program.kind = plan::ProgramKind::kBlob;
    for (const int segment : segments)
      program.segments.push_back(builder.tables().tensors[static_cast<size_t>(segment)].buffer);
    program.ranges = {{.address = 0, .size = 16, .access = plan::RangeAccess::kRead, .tensor = x},
                      {.address = 16, .size = 16, .access = plan::RangeAccess::kWrite, .tensor = y}};
    program.vendor = {{"x", "y"}, {{"a", 0, 10}, {"b", 20, 12}}, 0.5f, "conv1 (too large)"};
    builder.tables().branches[0].programs.push_back(std::move(program));
  }
};

std::string complaint(const std::function<void(plan::Program& program)>& change) {
  BlobPlan plan;
  change(plan.builder.tables().branches[0].programs.back());
  const PlanFile file = plan.builder.build();
  const auto read = Plan::from_memory(file.bytes());
  return read ? std::string() : std::string(read.error().message());
}

TEST_CASE("A vendor's program with facts is accepted and read completely") {
  BlobPlan source;
  const PlanFile file = source.builder.build();
  const auto plan = Plan::from_memory(file.bytes());
  INFO((plan ? "" : std::string(plan.error().message())));
  REQUIRE(plan);
  const plan::Program& program = (*plan)->tables().branches[0].programs.back();
  CHECK(program.segments.size() == 2);
  REQUIRE(program.vendor);
  CHECK(program.vendor->port_names == std::vector<std::string>{"x", "y"});
  REQUIRE(program.vendor->files.size() == 2);
  CHECK(program.vendor->files[1].name == "b");
  CHECK(program.vendor->files[1].offset == 20);
  CHECK(program.vendor->files[1].size == 12);
  CHECK(program.vendor->npu_share == 0.5f);
  CHECK(program.vendor->on_cpu == "conv1 (too large)");
}

TEST_CASE("Facts that do not fit a vendor's program are rejected") {
  using Catch::Contains;
  CHECK_THAT(complaint([](auto& program) { program.vendor->port_names.pop_back(); }), Contains("1 names for 2 ports"));
  CHECK_THAT(complaint([](auto& program) { program.vendor->port_names[0] = std::string("x\0y", 3); }),
             Contains("a port with an invalid name"));
  CHECK_THAT(complaint([](auto& program) { program.vendor->on_cpu = std::string(5000, 'x'); }),
             Contains("an invalid description of the operators"));
  for (const float share : {1.5f, std::numeric_limits<float>::quiet_NaN()})
    CHECK_THAT(complaint([&](auto& program) { program.vendor->npu_share = share; }),
               Contains("an invalid npu_share of"));
  CHECK_THAT(complaint([](auto& program) { program.vendor->files[0].name.clear(); }),
             Contains("a file with an invalid name"));
  CHECK_THAT(complaint([](auto& program) { program.vendor->files[1].size = 13; }), Contains("a file of 13 bytes"));
  CHECK_THAT(complaint([](auto& program) { program.vendor->files[1].offset = UINT64_MAX; }),
             Contains("that is not within its blob of 32 bytes"));
  CHECK_THAT(complaint([](auto& program) { program.vendor->files[1].offset = 5; }), Contains("at offset 5"));
  CHECK_THAT(complaint([](auto& program) { program.kind = plan::ProgramKind::kInstructions; }),
             Contains("has facts of a vendor"));
}

TEST_CASE("A blob with the same segment twice is rejected, because it could be larger than the file") {
  CHECK_THAT(complaint([](auto& program) { program.segments[1] = program.segments[0]; }),
             Catch::Contains("a blob with the same segment twice"));
}

}  // namespace
}  // namespace nestrt::test
