// SPDX-License-Identifier: Apache-2.0
#include "tools/support/nest_c/conv_keys.h"

#include <catch2/catch.hpp>

#include "nestrt/driver/costs.h"
#include "test/support/plan/plan_builder.h"

namespace nestrt::tools {
namespace {

ops::Conv conv(int pad) {
  ops::Conv attributes;
  attributes.kernel = {3, 3};
  attributes.stride = {1, 1};
  attributes.dilation = {1, 1};
  attributes.pad_begin = {pad, pad};
  attributes.pad_end = {pad, pad};
  return attributes;
}

// Returns three convolutions with the same key, two of them with the same work name, and a Relu.
test::PlanBuilder network() {
  test::PlanBuilder builder;
  const int x = builder.input("x", {1, 3, 8, 6});
  const int weights = builder.constant<float>("w", {4, 3, 3, 3}, std::vector<float>(108));
  builder.op("first", conv(1), {x, weights}, {builder.output("a", {1, 4, 8, 6})});
  builder.op("second", conv(1), {x, weights}, {builder.output("b", {1, 4, 8, 6})});
  builder.op("unpadded", conv(0), {x, weights}, {builder.output("c", {1, 4, 6, 4})});
  builder.op("relu", test::unary(ops::UnaryKind::kRelu), {x}, {builder.output("d", {1, 3, 8, 6})});
  return builder;
}

}  // namespace

TEST_CASE("The convolutions of a plan are indexed by their keys in both orders, each work once") {
  const test::PlanFile file = network().build();
  const auto plan = *Plan::from_memory(file.bytes());
  const ConvKeys keys(*plan);
  for (const char* const text : {"Conv-1x3x8x6-f32-4-3-1", "convolution-1x8x6x3-Float-4-3-1"}) {
    INFO(text);
    const auto key = parse_conv_key(text);
    REQUIRE(key);
    std::set<std::string> works;
    for (const auto* const work : keys.works(*key)) works.insert(work->first);
    CHECK(works == std::set<std::string>{work_name(*plan, 0, UnitKey()), work_name(*plan, 2, UnitKey())});
  }
}

TEST_CASE("Unknown convolution keys match no work items") {
  const test::PlanFile file = network().build();
  const ConvKeys keys(**Plan::from_memory(file.bytes()));
  for (const char* const text : {"Conv-1x3x6x8-f32-4-3-1", "Conv-1x3x8x6-s8-4-3-1", "Conv-1x3x8x6-f32-3-3-1",
                                 "Conv-1x3x8x6-f32-4-5-1", "Conv-1x3x8x6-f32-4-3-2"}) {
    const auto key = parse_conv_key(text);
    REQUIRE(key);
    CHECK(keys.works(*key).empty());
  }
  for (const char* const text : {"", "Pool-1x3x8x6-f32-4-3-1", "Conv-1x3x8-f32-4-3-1", "Conv-1x3x8x0-f32-4-3-1",
                                 "Conv-1x3x8x6-f64-4-3-1", "Conv-1x3x8x6-f32-4-3"})
    CHECK_FALSE(parse_conv_key(text));
}

}  // namespace nestrt::tools
