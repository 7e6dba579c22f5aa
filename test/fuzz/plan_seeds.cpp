// SPDX-License-Identifier: Apache-2.0
#include "drivers/evta/isa/configuration.h"
#include "test/fuzz/seeds.h"
#include "test/support/plan/copy_plan.h"
#include "test/support/plan/sample_plans.h"

namespace nestrt::test {

void add_plan_seeds(SeedFolder& folder) {
  for (PlanBuilder (*make)() : {relu_plan, branches_plan, views_plan, blocked_plan, plain_conv_plan, unpacked_conv_plan,
                                movement_plan, selection_plan, integer_plan, classifier_plan})
    folder.add(make().build().bytes());
  folder.add(divisible_plan(40).build().bytes());
  folder.add(channelwise_plan(40).build().bytes());
  const evta::Configuration& configuration = *evta::find_configuration("1x16_15_15_18_17");
  folder.add(evta::test::copy_plan(configuration).build().bytes());
  folder.add(evta::test::random_network(configuration, 4, 1).build().bytes());
}

}  // namespace nestrt::test
