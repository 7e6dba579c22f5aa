// SPDX-License-Identifier: Apache-2.0
// Tests nestrt verify on the command line.
#include <catch2/catch.hpp>

#include "test/support/plan/program.h"
#include "test/support/plan/sample_plans.h"
#include "test/support/process/temporary_folder.h"

namespace nestrt::test {
namespace {

TEST_CASE("nestrt verify fails for a unit without a program in the plan") {
  const TemporaryFolder folder;
  const std::string plan = folder.write("plan.nest", branches_plan().build().bytes());
  const ProgramResult result = run_program("nestrt", {"verify", plan, "--units", "cpu,evta:sim"});
  INFO(result.text);
  CHECK(result.exit_code == 1);
  CHECK_THAT(result.text, Catch::Matchers::Contains("nothing was compared on evta0"));
}

// Returns a convolution with weights 0, 1, 2, ..., whose aarch64 kernels read packed weights 0, step, 2 * step, ...
// instead.
PlanBuilder plan_with_packed(float step) {
  const Shape shape{16, 16, 1, 1};
  std::vector<float> own, packed;
  for (int i = 0; i < 256; ++i) {
    own.push_back(static_cast<float>(i));
    packed.push_back(step * static_cast<float>(i));
  }
  PlanBuilder builder;
  const int x = builder.input("x", {1, 16, 2, 2}), y = builder.output("y", {1, 16, 2, 2});
  const int weights = builder.constant<float>("own", shape, own);
  const int other = builder.packed("other", shape, Packing::kO16i16, packed);
  ops::Conv conv;
  conv.kernel = conv.stride = conv.dilation = {1, 1};
  conv.pad_begin = conv.pad_end = {0, 0};
  builder.op("conv", conv, {x, weights}, {y});
  builder.build();  // completes the tables
  builder.tables().kernel_names = {""};
  builder.tables().branches[0].programs[0].selections.push_back({"aarch64", {0}, {other}});
  return builder;
}

TEST_CASE("nestrt verify finds packed weights that differ from the operator's own") {
  const TemporaryFolder folder;
  const std::string same = folder.write("same.nest", plan_with_packed(1).build().bytes());
  const ProgramResult good = run_program("nestrt", {"verify", same});
  INFO(good.text);
  CHECK(good.exit_code == 0);
  const std::string others = folder.write("others.nest", plan_with_packed(2).build().bytes());
  const ProgramResult bad = run_program("nestrt", {"verify", others});
  INFO(bad.text);
  CHECK(bad.exit_code == 2);
  CHECK_THAT(bad.text, Catch::Matchers::Contains("operator 0 'conv': weights 'other', which kernels read instead of "
                                                 "'own', have different values"));
}

}  // namespace
}  // namespace nestrt::test
