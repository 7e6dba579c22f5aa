#include "runtime/plan/folding.h"

#include <catch2/catch.hpp>

#include "nestrt/plan.h"
#include "test/support/plan_builder.h"

namespace nestrt::test {
namespace {

TEST_CASE("The size of a folded picture says how it is folded") {
  const Shape picture = {2, 3, 7, 8};
  const auto fold_into = [&](int64_t block, uint64_t bytes) {
    const auto folding = find_folding(picture, block, bytes);
    return folding ? folding->fold : 0;
  };
  CHECK(fold_into(16, 2 * 16 * 7 * 8) == 1);
  CHECK(fold_into(16, 2 * 16 * 4 * 4) == 2);
  CHECK(fold_into(16, 2 * 32 * 3 * 3) == 3);  // 27 channels
  CHECK(fold_into(32, 2 * 32 * 3 * 3) == 3);
  CHECK(fold_into(16, 2 * 16 * 7 * 8 + 1) == 0);
  CHECK_FALSE(find_folding({2, 3, 7}, 16, 2 * 16 * 7));
  CHECK_FALSE(find_folding({1, 1, 1, int64_t{1} << 62}, 16, 0));
  CHECK_FALSE(find_folding({1, int64_t{1} << 62, 1, 1}, 16, 0));
}

// A picture of s8, which a program beside the CPU's reads in blocks of 16 channels, two by two pixels folded.
PlanBuilder folded_plan() {
  PlanBuilder builder;
  const int x = builder.input("x", {1, 3, 5, 6}, DataType::kS8), y = builder.output("y", {90}, DataType::kS8);
  builder.op("flat", ops::Reshape{.shape = {90}}, {x}, {y});
  const int stream = builder.constant<float>("stream", {4}, {0, 0, 0, 0});
  plan::Program program;
  program.unit = "npu";
  program.kind = plan::ProgramKind::kInstructions;
  program.segments = {builder.tables().tensors[static_cast<size_t>(stream)].buffer};
  program.ranges.push_back({.size = 3 * 3 * 16, .tensor = x, .layout = Layout::kBlocked16});
  program.ranges.push_back({.address = 4096, .size = 90, .access = plan::RangeAccess::kWrite, .tensor = y});
  builder.tables().branches[0].programs.push_back(std::move(program));
  return builder;
}

std::string refusal(void (*damage)(plan::ProgramRange&)) {
  PlanBuilder builder = folded_plan();
  damage(builder.tables().branches[0].programs[1].ranges[0]);
  const auto plan = Plan::from_memory(builder.build().bytes());
  REQUIRE_FALSE(plan);
  return std::string(plan.error().message());
}

TEST_CASE("A program reads a picture in blocks of channels that it can be brought to") {
  using Catch::Matchers::Contains;
  CHECK(Plan::from_memory(folded_plan().build().bytes()));
  CHECK_THAT(refusal([](plan::ProgramRange& range) { range.size += 1; }), Contains("takes another size in blocks"));
  CHECK_THAT(refusal([](plan::ProgramRange& range) { range.layout = static_cast<Layout>(200); }),
             Contains("branch 0: a range's layout 200 is unknown"));
  CHECK_THAT(refusal([](plan::ProgramRange& range) {
               range.tensor = 1;
               range.access = plan::RangeAccess::kWrite;
             }),
             Contains("in blocks of channels"));
}

}  // namespace
}  // namespace nestrt::test
