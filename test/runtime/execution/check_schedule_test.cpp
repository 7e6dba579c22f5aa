// SPDX-License-Identifier: Apache-2.0
#include "runtime/execution/check_schedule.h"

#include <catch2/catch.hpp>

#include "nestrt/open_units.h"
#include "runtime/core/unit_infos.h"
#include "test/support/plan/sample_plans.h"

namespace nestrt::test {
namespace {

// Checks divisible_plan(40) with its convolution (branch 1) split into `parts`, on one thread in file order.
Status check_parts(const std::vector<ChannelRange>& parts) {
  const PlanFile file = divisible_plan(40).build();
  const auto plan = *Plan::from_memory(file.bytes());
  Schedule schedule;
  schedule.lanes = {{0}};
  for (uint32_t branch = 0; branch < plan->tables().branches.size(); ++branch)
    for (const ChannelRange& channels : branch == 1 ? parts : std::vector<ChannelRange>{{}}) {
      Step& step = schedule.steps.emplace_back();
      step.branch = branch;
      step.channels = channels;
    }
  return check_schedule(*plan, unit_infos(*open_units("cpu", {.num_threads = 1})), schedule);
}

TEST_CASE("Contiguous slices of an operator are accepted") {
  CHECK(check_parts({{}}).ok());
  CHECK(check_parts({{0, 16}, {16, 40}}).ok());
  CHECK(check_parts({{32, 40}, {0, 32}}).ok());
  CHECK(check_parts({{0, 16, 0, 2}, {16, 16, 2, 4}, {16, 40, 4, 0}}).ok());
  CHECK(check_parts({{0, 40, 3, 0}, {0, 0, 0, 3}}).ok());
}

TEST_CASE("Channels that are computed twice or never are rejected") {
  using Parts = std::vector<ChannelRange>;
  for (const Parts& parts :
       {Parts{{0, 16}, {16, 40}, {16, 40}}, Parts{{0, 40}, {0, 40}}, Parts{{0, 40}, {16, 32}}, Parts{{0, 40}, {64, 80}},
        Parts{{0, 16}, {32, 40}}, Parts{{0, 32}}, Parts{{0, 48}}, Parts{{0, 16, 0, 2}, {16, 40, 1, 0}},
        Parts{{0, 16, 0, 2}, {16, 40, 3, 0}}, Parts{{0, 16, 0, 2}, {16, 40}}, Parts{{0, 40, 0, 1}},
        Parts{{0, 40, 1, 0}}, Parts{{}, {}}, Parts{{}, {0, 40}}, Parts{}}) {
    CAPTURE(parts.size(), parts.empty() ? 0 : parts.back().begin, parts.empty() ? 0 : parts.back().end);
    CHECK(check_parts(parts).code() == Code::kInvalidArgument);
  }
}

// Checks three branches of one operator, each of which reads the previous one; the lane of the last one waits for
// `waits` only.
Status check_chain(const std::vector<uint32_t>& waits) {
  PlanBuilder builder;
  std::vector<int> values = {builder.input("x", {4}), builder.arena("a", {4}), builder.arena("b", {4}),
                             builder.output("y", {4})};
  for (size_t i = 1; i < values.size(); ++i) {
    builder.op("relu", unary(ops::UnaryKind::kRelu), {values[i - 1]}, {values[i]});
    builder.branch();
  }
  const PlanFile file = builder.build();
  Schedule schedule;
  schedule.lanes = {{0}, {0}};
  for (uint32_t branch = 0; branch < 3; ++branch) schedule.steps.emplace_back().branch = branch;
  schedule.steps[1].lane = 1;
  schedule.steps[1].waits = {0};
  schedule.steps[2].waits = waits;
  return check_schedule(**Plan::from_memory(file.bytes()), unit_infos(*open_units("cpu", {.num_threads = 2})),
                        schedule);
}

TEST_CASE("A step that may start before its inputs are complete is rejected") {
  CHECK(check_chain({1}).ok());
  CHECK_THAT(std::string(check_chain({}).message()),
             Catch::Contains("step 2 reads data that step 1 may not have computed"));
  CHECK(check_chain({0}).code() == Code::kInvalidArgument);
}

}  // namespace
}  // namespace nestrt::test
