#include "runtime/session/check_schedule.h"

#include <catch2/catch.hpp>

#include "nestrt/open_units.h"
#include "test/support/sample_plans.h"

namespace nestrt::test {
namespace {

// divisible_plan(40), its convolution, branch 1, in the parts that are given, on one thread in file order.
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
  return check_schedule(*plan, *open_units("cpu", {.num_threads = 1}), schedule);
}

TEST_CASE("Parts of an operator that follow one another are computed once") {
  CHECK(check_parts({{}}).ok());
  CHECK(check_parts({{0, 16}, {16, 40}}).ok());
  CHECK(check_parts({{32, 40}, {0, 32}}).ok());
}

TEST_CASE("Channels that are computed twice, or never, are refused wherever they are") {
  using Parts = std::vector<ChannelRange>;
  for (const Parts& parts : {Parts{{0, 16}, {16, 40}, {16, 40}}, Parts{{0, 40}, {0, 40}}, Parts{{0, 40}, {16, 32}},
                             Parts{{0, 40}, {64, 80}}, Parts{{0, 16}, {32, 40}}, Parts{{0, 32}}, Parts{{0, 48}}}) {
    CAPTURE(parts.size(), parts.back().begin, parts.back().end);
    CHECK(check_parts(parts).code() == Code::kInvalidArgument);
  }
}

}  // namespace
}  // namespace nestrt::test
