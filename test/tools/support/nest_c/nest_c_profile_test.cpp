// SPDX-License-Identifier: Apache-2.0
#include "tools/support/nest_c/nest_c_profile.h"

#include <catch2/catch.hpp>

#include "test/support/plan/plan_builder.h"

namespace nestrt::tools {
namespace {

using Catch::Matchers::Contains;
using test::PlanBuilder;

ops::Conv conv(int kernel, int pad) {
  ops::Conv attributes;
  attributes.kernel = {kernel, kernel};
  attributes.stride = {1, 1};
  attributes.dilation = {1, 1};
  attributes.pad_begin = {pad, pad};
  attributes.pad_end = {pad, pad};
  return attributes;
}

// Returns two convolutions with equal NEST-C keys, and one with another kernel.
PlanBuilder profiled_network() {
  PlanBuilder builder;
  const auto weights = [&](const std::string& name, int kernel) {
    return builder.constant<float>(name, {4, 3, kernel, kernel}, std::vector<float>(12 * kernel * kernel));
  };
  const int x = builder.input("x", {1, 3, 8, 8});
  builder.op("padded", conv(3, 1), {x, weights("a", 3)}, {builder.output("y", {1, 4, 8, 8})});
  builder.op("valid", conv(3, 0), {x, weights("b", 3)}, {builder.output("z", {1, 4, 6, 6})});
  builder.op("pointwise", conv(1, 0), {x, weights("c", 1)}, {builder.output("w", {1, 4, 8, 8})});
  return builder;
}

struct Network {
  test::PlanFile bytes = profiled_network().build();
  std::shared_ptr<const Plan> plan = *Plan::from_memory(bytes.bytes());
};

}  // namespace

TEST_CASE("NEST-C times become costs if their key is unambiguous") {
  const Network network;
  const auto import = parse_nest_c_profile(
      "Type: ExeTime\nbackendName: CPU\n"
      "Convolution-1x8x8x3-float-4-1-1: 12.5\n"  // NHWC
      "Convolution-1x8x8x3-float-4-3-1: 80\n"
      "Convolution-1x8x8x3-int8-4-1-1: 5\n"
      "Convolution-1x9x9x3-float-4-1-1: 7\n"
      "Add-1x8x8x3-float: 1\n"
      "Convolution-1x3x8x8-float-4-5-1: INFINITY\n",
      "n.yaml", *network.plan, "neon");
  REQUIRE(import);
  CHECK(import->entries == 6);
  CHECK(import->used == 1);
  const WorkCost* const cost = import->costs.find({"cpu", "neon", 1}, work_name(*network.plan, 2, {"cpu", "neon", 1}));
  REQUIRE(cost != nullptr);
  CHECK(cost->microseconds == 12.5);
  REQUIRE(import->refused.size() == 2);
  CHECK_THAT(import->refused[0], Contains("4-3-1") && Contains("2 different operators") && Contains("padding"));
  CHECK_THAT(import->refused[1], Contains("Add") && Contains("not a convolution key"));
}

TEST_CASE("A file that is not a NEST-C profile is rejected") {
  const Network network;
  const auto refusal = [&](const std::string& text) {
    const auto import = parse_nest_c_profile(text, "n.yaml", *network.plan, "neon");
    REQUIRE_FALSE(import);
    return std::string(import.error().message());
  };
  CHECK_THAT(refusal("1"), Contains("n.yaml") && Contains("backendName"));
  CHECK_THAT(refusal("Type: communication\nbackendName: CPU\n"), Contains("ExeTime"));
  CHECK_THAT(refusal("Type: ExeTime\n"), Contains("'backendName' is missing"));
  CHECK_THAT(refusal("Type: ExeTime\nbackendName: " + std::string(257, 'n') + "\n"), Contains("at most 256 bytes"));
  CHECK_THAT(refusal("Type: ExeTime\nbackendName: CPU\nConvolution-1x8x8x3-float-4-1-1: fast\n"), Contains("line 3"));
  CHECK_THAT(refusal("- {Type: ExeTime, backendName: CPU}\n- 5\n"), Contains("n.yaml"));
}

}  // namespace nestrt::tools
