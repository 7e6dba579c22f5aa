// SPDX-License-Identifier: Apache-2.0
// Programs that write the bytes of accumulators: what the verifier takes and what it refuses.
#include <catch2/catch.hpp>
#include <functional>

#include "runtime/plan/format/encode.h"
#include "runtime/plan/format/format.h"
#include "test/support/plan/sample_plans.h"

namespace nestrt::test {
namespace {

using Catch::Matchers::Contains;

// Tensors and the operator of wide_plan.
constexpr int kWideInput = 3, kWideResult = 4;
constexpr uint64_t kWidePixels = 30, kElementBytes = sizeof(float);

plan::Program& bytes_program(plan::Tables& plan) { return plan.branches[1].programs[1]; }
plan::ProgramRange& bytes_range(plan::Tables& plan) { return bytes_program(plan).ranges[1]; }

// A program for all of 72 channels, which are 80 in blocks of 16 and 96 in blocks of 32; or for a part of them.
PlanBuilder bytes_plan(plan::RangeLayout layout, ChannelRange part = {}) {
  const bool is_wider = layout == plan::RangeLayout::kBytes32;
  const uint64_t blocked = is_wider ? 96 : 80, block = is_wider ? 32 : 16;
  const auto line = [&](uint32_t channel, uint32_t row) { return (channel + block - 1) / block * 5 + row; };
  const uint64_t begin = line(part.begin, part.begin_row),
                 end = part.all() ? blocked / block * 5 : line(part.end, part.end_row);
  PlanBuilder builder = wide_plan(72);
  plan::Program made;
  made.unit = "npu";
  made.kind = plan::ProgramKind::kInstructions;
  made.channels = part;
  made.segments = {1};
  const uint64_t row_bytes = 6 * block * kElementBytes;
  made.ranges = {
      {0x10000, 32 * kWidePixels, plan::RangeAccess::kRead, kWideInput},
      {0x20000, (end - begin) * row_bytes, plan::RangeAccess::kWrite, kWideResult, 0, layout, begin * row_bytes}};
  builder.tables().branches[1].programs.push_back(std::move(made));
  return builder;
}

std::string bytes_refusal(PlanBuilder builder, const std::function<void(plan::Tables&)>& damage) {
  damage(builder.tables());
  const PlanFile file = builder.build();
  const auto plan = Plan::from_memory(file.bytes());
  REQUIRE_FALSE(plan);
  CHECK(plan.error().code() == Code::kInvalidPlan);
  return std::string(plan.error().message());
}

void expect_bytes_accepted(const PlanBuilder& builder) {
  PlanBuilder copy = builder;
  const PlanFile file = copy.build();
  const auto plan = Plan::from_memory(file.bytes(), Verification::kComplete);
  if (!plan) FAIL(plan.error().to_string());
  CHECK(minor_version_of((*plan)->tables()) == plan_format::kMinorBeforeDynamic);
  CHECK(widened_bytes((*plan)->tables().branches[1].programs[1]) > 0);
}

TEST_CASE("A program may write the accumulator bytes of a wide convolution or of a slice of it") {
  expect_bytes_accepted(bytes_plan(plan::RangeLayout::kBytes16));
  expect_bytes_accepted(bytes_plan(plan::RangeLayout::kBytes32));
  for (const ChannelRange part : {ChannelRange{0, 64}, {16, 72}, {0, 48, 2, 0}, {16, 64, 4, 3}, {32, 32, 1, 2}})
    expect_bytes_accepted(bytes_plan(plan::RangeLayout::kBytes16, part));
  for (const ChannelRange part : {ChannelRange{0, 64}, {32, 72}})
    expect_bytes_accepted(bytes_plan(plan::RangeLayout::kBytes32, part));
}

TEST_CASE("Accumulator bytes are refused if they cannot be converted to f32") {
  const auto refused = [](const std::function<void(plan::Tables&)>& damage) {
    for (const plan::RangeLayout layout : {plan::RangeLayout::kBytes16, plan::RangeLayout::kBytes32})
      CHECK_THAT(bytes_refusal(bytes_plan(layout), damage), Contains("in a layout that it cannot be converted to"));
  };
  refused([](plan::Tables& p) { bytes_range(p).access = plan::RangeAccess::kReadWrite; });
  refused([](plan::Tables& p) { bytes_program(p).ranges[0].layout = plan::RangeLayout::kBytes16; });
  refused([](plan::Tables& p) { bytes_range(p).layout = plan::RangeLayout::kBlocked32; });
}

TEST_CASE("Accumulator bytes must have the size of the f32 elements") {
  const auto refused = [](plan::RangeLayout layout, const std::function<void(plan::Tables&)>& damage) {
    return bytes_refusal(bytes_plan(layout), damage);
  };
  for (const int64_t by : {-64, -4, 4, 64}) {
    const auto resize = [&](plan::Tables& p) { bytes_range(p).size += static_cast<uint64_t>(by); };
    CHECK_THAT(refused(plan::RangeLayout::kBytes16, resize), Contains("bytes of accumulators for tensor 4"));
    CHECK_THAT(refused(plan::RangeLayout::kBytes32, resize), Contains("in blocks of 32 channels"));
  }
  CHECK_THAT(refused(plan::RangeLayout::kBytes16, [](plan::Tables& p) { bytes_range(p).offset = 64; }),
             Contains("bytes of accumulators for tensor 4"));
  const auto refused_part = [](const std::function<void(plan::Tables&)>& damage) {
    return bytes_refusal(bytes_plan(plan::RangeLayout::kBytes16, {16, 48, 2, 3}), damage);
  };
  CHECK_THAT(refused_part([](plan::Tables& p) { bytes_range(p).size += 64; }), Contains("with a range of"));
  CHECK_THAT(refused_part([](plan::Tables& p) { bytes_range(p).offset += 64; }), Contains("with a range of"));
  CHECK_THAT(bytes_refusal(bytes_plan(plan::RangeLayout::kBytes32, {32, 72}),
                           [](plan::Tables& p) { bytes_program(p).channels.begin = 16; }),
             Contains("with a range of"));
}

}  // namespace
}  // namespace nestrt::test
