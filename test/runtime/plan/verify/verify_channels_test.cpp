// SPDX-License-Identifier: Apache-2.0
// Tests the verification of programs for some of an operator's output channels.
#include <catch2/catch.hpp>
#include <functional>

#include "runtime/plan/queries/program_for.h"
#include "test/support/plan/sample_plans.h"

namespace nestrt::test {
namespace {

// Tensors of divisible_plan.
constexpr int kInput = 4, kResidual = 5, kOutput = 6;
constexpr uint64_t kPixels = 30;
using enum plan::RangeLayout;

plan::Program& program(plan::Tables& plan) { return plan.branches[1].programs[1]; }
plan::ProgramRange& range(plan::Tables& plan, size_t index) { return program(plan).ranges[index]; }

// Returns a plan with a program for the first 64 of 72 channels of a convolution, with all tensors in this layout.
PlanBuilder divided_plan(plan::RangeLayout layout = plan::RangeLayout::kPlain) {
  PlanBuilder builder = divisible_plan(72);
  plan::Program made;
  made.unit = "npu";
  made.kind = plan::ProgramKind::kInstructions;
  made.channels = {0, 64};
  made.segments = {2};
  const auto add = [&](int tensor, uint64_t size, plan::RangeAccess access) {
    const uint64_t address = (made.ranges.size() + 1) * 0x10000;
    made.ranges.push_back({address, size, access, tensor, 0, layout});
  };
  add(kInput, (layout == kBlocked8 ? 24 : 32) * kPixels, plan::RangeAccess::kRead);  // of 20 channels
  add(kResidual, 64 * kPixels, plan::RangeAccess::kRead);
  add(kOutput, 64 * kPixels, plan::RangeAccess::kWrite);
  builder.tables().branches[1].programs.push_back(std::move(made));
  return builder;
}

// Returns the same plan with a program for `part`. A block of 16 channels has 5 rows of 6 pixels.
PlanBuilder divided_plan(const ChannelRange& part) {
  PlanBuilder builder = divided_plan();
  plan::Program& made = program(builder.tables());
  made.channels = part;
  const auto line = [](uint32_t channel, uint32_t row) { return uint64_t{(channel + 15) / 16} * 5 + row; };
  const uint64_t begin = line(part.begin, part.begin_row), end = line(part.end, part.end_row);
  for (size_t i = 1; i < 3; ++i) {
    made.ranges[i].offset = begin * 6 * 16;
    made.ranges[i].size = (end - begin) * 6 * 16;
  }
  return builder;
}

// Returns channelwise_plan with a program for the first 16 of 40 channels of a branch. Operand i has pixels[i] pixels.
PlanBuilder channelwise(uint32_t branch, std::vector<uint64_t> pixels) {
  PlanBuilder builder = channelwise_plan(40);
  plan::Tables& tables = builder.tables();
  const plan::Operator& op = tables.operators[tables.branches[branch].operators[0]];
  plan::Program made;
  made.unit = "npu";
  made.kind = plan::ProgramKind::kInstructions;
  made.channels = {0, 16};
  made.segments = {2};
  std::vector<int32_t> operands = op.as<ops::Conv>() != nullptr ? std::vector{op.inputs[0], op.inputs[3]} : op.inputs;
  operands.push_back(op.outputs[0]);
  for (size_t i = 0; i < operands.size(); ++i) {
    const auto access = i + 1 < operands.size() ? plan::RangeAccess::kRead : plan::RangeAccess::kWrite;
    made.ranges.push_back({(i + 1) * 0x10000, 16 * pixels[i], access, operands[i]});
  }
  tables.branches[branch].programs.push_back(std::move(made));
  return builder;
}

const std::vector<std::vector<uint64_t>> kPixelsOf = {{},           {48, 48, 48}, {48, 12}, {48, 12},
                                                      {12, 12, 12}, {12, 12},     {12, 12}};

// Expects a rejection because the operator violates its rules or cannot be divided.
void expect_not_divisible(PlanBuilder builder, const std::function<void(plan::Tables&)>& damage) {
  damage(builder.tables());
  const PlanFile file = builder.build();
  const auto plan = Plan::from_memory(file.bytes());
  REQUIRE_FALSE(plan);
  const std::string message(plan.error().message());
  INFO("got: " << message);
  const bool breaks_rules = message.starts_with("operator ");
  CHECK((breaks_rules || message.find("but cannot be divided by channels") != std::string::npos));
}

void expect_refused(PlanBuilder builder, const std::function<void(plan::Tables&)>& damage, const char* message) {
  damage(builder.tables());
  const PlanFile file = builder.build();
  const auto plan = Plan::from_memory(file.bytes());
  INFO("expected: " << message);
  REQUIRE_FALSE(plan);
  INFO("got: " << plan.error().message());
  CHECK(plan.error().code() == Code::kInvalidPlan);
  CHECK(plan.error().message().find(message) != std::string_view::npos);
}

TEST_CASE("A program for some channels is accepted and does not count as a program for the branch") {
  for (const plan::RangeLayout layout : {kPlain, kBlocked8, kBlocked32}) {
    const PlanFile file = divided_plan(layout).build();
    const auto plan = Plan::from_memory(file.bytes(), Verification::kComplete);
    if (!plan) FAIL(plan.error().to_string());
    const plan::Branch& branch = (*plan)->tables().branches[1];
    CHECK(program_for(branch, {"npu", "npu0", "", 1}) == nullptr);
    CHECK(program_for(branch, {"cpu", "cpu", "", 1}) == &branch.programs[0]);
    CHECK(can_run(branch.programs[1], {"npu", "npu0", "", 1}));
  }
}

TEST_CASE("A program for some channels of an indivisible operator is rejected") {
  const auto refused = [](const std::function<void(plan::Tables&)>& damage) {
    expect_not_divisible(divided_plan(), damage);
  };
  const auto conv = [](plan::Tables& p) -> ops::Conv& { return std::get<ops::Conv>(p.operators[4].attributes); };
  const auto tensor = [](plan::Tables& p, int index) -> plan::Tensor& { return p.tensors[static_cast<size_t>(index)]; };
  refused([&](plan::Tables& p) { conv(p).group = 2; });
  refused([&](plan::Tables& p) { conv(p).wide_output = true; });  // but the output is s8
  refused([&](plan::Tables& p) { tensor(p, kOutput).quantization.reset(); });
  refused([&](plan::Tables& p) { tensor(p, kResidual).shape = {1, 72, 6, 5}; });
  refused([&](plan::Tables& p) { p.operators[4].inputs.resize(1); });
  refused([&](plan::Tables& p) { p.operators[4].inputs[1] = kInput; });
  refused([&](plan::Tables& p) { p.operators[4].inputs[2] = 2; });
  refused([&](plan::Tables& p) { p.operators[4].inputs.resize(100, -1); });
}

// Returns an NPU program for branch 1 that computes the first `rows` rows of blocks.
plan::Program program_for_rows(uint32_t rows) {
  plan::Program made;
  made.unit = "npu";
  made.kind = plan::ProgramKind::kInstructions;
  made.channels = {0, rows / 5 * 16, 0, rows % 5};
  made.segments = {3};
  made.ranges = {{0, uint64_t{rows} * 6 * 16, plan::RangeAccess::kWrite, kOutput}};
  return made;
}

TEST_CASE("A branch with more than 96 programs for one unit is rejected") {
  constexpr uint32_t kWays = 96;
  PlanBuilder builder = divisible_plan(16 * 20);
  auto& programs = builder.tables().branches[1].programs;
  for (uint32_t rows = 1; rows <= kWays; ++rows) programs.push_back(program_for_rows(rows));
  const PlanFile file = builder.build();
  const auto plan = Plan::from_memory(file.bytes());
  if (!plan) FAIL(plan.error().to_string());
  expect_refused(
      builder, [](plan::Tables& p) { p.branches[1].programs.push_back(program_for_rows(kWays + 1)); },
      "has more than 96 programs for unit 'npu' and configuration ''");
}

TEST_CASE("Programs for channels that are not whole blocks are rejected") {
  for (const uint32_t channels : {8u, 40u, 72u, 80u, 0xFFFFFFF0u})
    expect_refused(
        divided_plan(), [&](plan::Tables& p) { program(p).channels.end = channels; },
        "of 72 channels: expected whole blocks of 16 or some of their 5 rows, and not all");
  expect_refused(
      divided_plan(), [](plan::Tables& p) { program(p).kind = plan::ProgramKind::kBlob; },
      "only instruction programs may compute some of the channels");
  expect_refused(
      divided_plan(),
      [](plan::Tables& p) {
        p.branches[1].programs[0].channels = {0, 16};
      },
      "only instruction programs may compute some of the channels");
}

TEST_CASE("A program for some channels that could access other channels is rejected") {
  for (const uint64_t blocks : {48u, 72u, 80u})
    expect_refused(
        divided_plan(), [&](plan::Tables& p) { range(p, 2).size = blocks * kPixels; },
        "has a program for channels 0-64 with a range of");
  expect_refused(
      divided_plan(), [](plan::Tables& p) { range(p, 1).size = 81 * kPixels; }, "bytes at offset 0 of tensor 5");
  for (const uint64_t blocks : {32u, 96u})
    expect_refused(
        divided_plan(kBlocked32), [&](plan::Tables& p) { range(p, 2).size = blocks * kPixels; },
        "has a program for channels 0-64 with a range of");
  expect_refused(
      divided_plan(kBlocked32), [](plan::Tables& p) { program(p).channels.end = 48; },
      "has a program for channels 0-48 with a range of");
  expect_refused(
      divided_plan(kBlocked32), [](plan::Tables& p) { range(p, 1).size = 48 * kPixels; },
      "bytes at offset 0 of tensor 5");
  expect_refused(
      divided_plan(kBlocked32), [](plan::Tables& p) { range(p, 0).size = 64 * kPixels; }, "in blocks of 32");
}

TEST_CASE("A program for some channels in blocks of 8 that could access other channels is rejected") {
  for (const uint64_t channels : {48u, 56u, 72u, 128u})
    expect_refused(
        divided_plan(kBlocked8), [&](plan::Tables& p) { range(p, 2).size = channels * kPixels; },
        "has a program for channels 0-64 with a range of");
  expect_refused(
      divided_plan(kBlocked8), [](plan::Tables& p) { range(p, 1).offset = 8 * kPixels; },
      "has a program for channels 0-64 with a range of");
  expect_refused(
      divided_plan(kBlocked8), [](plan::Tables& p) { range(p, 0).size = 36 * kPixels; }, "in blocks of 8");
  expect_refused(
      divided_plan(kBlocked8), [](plan::Tables& p) { range(p, 0).size = 40 * kPixels; }, "in blocks of 8");
}

TEST_CASE("A program for channels in the middle or for some of their rows is accepted") {
  for (const ChannelRange part : {ChannelRange{16, 64},
                                  {64, 72},
                                  {16, 72},
                                  {0, 48, 2, 0},
                                  {0, 0, 0, 3},
                                  {16, 64, 4, 3},
                                  {32, 32, 1, 2},
                                  {64, 72, 1, 0}}) {
    const PlanFile file = divided_plan(part).build();
    const auto plan = Plan::from_memory(file.bytes(), Verification::kComplete);
    if (!plan) FAIL(plan.error().to_string());
    CHECK((*plan)->tables().branches[1].programs[1].channels == part);
  }
}

TEST_CASE("A program for channels in the middle that could access other channels is rejected") {
  const ChannelRange part{16, 48, 2, 3};
  const auto refused = [&](const std::function<void(plan::Tables&)>& damage) {
    expect_refused(divided_plan(part), damage, "has a program for channels ");
  };
  for (const size_t operand : {1u, 2u})
    for (const int64_t by : {-96, -16, 16, 96}) {
      refused([&](plan::Tables& p) { range(p, operand).offset += static_cast<uint64_t>(by); });
      refused([&](plan::Tables& p) { range(p, operand).size += static_cast<uint64_t>(by); });
    }
  refused([](plan::Tables& p) { range(p, 2).offset = uint64_t{0} - 96; });
  for (const ChannelRange other : {ChannelRange{16, 48, 2, 5},
                                   {16, 48, 5, 3},
                                   {48, 16, 2, 3},
                                   {16, 72, 2, 3},
                                   {8, 48, 2, 3},
                                   {16, 40, 2, 3},
                                   {16, 48, 0xFFFFFFFF, 3},
                                   {0xFFFFFFF0, 48, 2, 3},
                                   {16, 0xFFFFFFF0, 2, 3},
                                   {72, 72, 2, 3},
                                   {0, 72},
                                   {16, 48, 2, 4},
                                   {16, 48, 1, 3},
                                   {16, 48},
                                   {0, 32, 2, 3}})
    refused([&](plan::Tables& p) { program(p).channels = other; });
  expect_refused(
      divided_plan(part), [](plan::Tables& p) { range(p, 0).offset = 96; }, "bytes at offset 96 of tensor 4");
}

TEST_CASE("A slice of rows is rejected if the operator reads neighbouring rows or the blocks are wider") {
  expect_refused(
      channelwise(1, kPixelsOf[1]),
      [](plan::Tables& p) {
        p.branches[1].programs.back().channels = {0, 16, 0, 1};
      },
      "has a program for channels 0:0-16:1 of 40 channels");
  expect_refused(
      divided_plan(kBlocked32),
      [](plan::Tables& p) {
        program(p).channels = {0, 32, 0, 1};
      },
      "has a program for channels 0:0-32:1 with a range of");
  expect_refused(
      divided_plan(kBlocked32), [](plan::Tables& p) { range(p, 2).offset = 16 * kPixels; }, "with a range of");
}

TEST_CASE("A program for later channels in a layout with wider blocks begins at a block boundary") {
  const auto later = [](uint32_t begin, uint64_t offset) {
    PlanBuilder builder = divided_plan(kBlocked32);
    program(builder.tables()).channels = {begin, 72};
    for (size_t i = 1; i < 3; ++i) {
      range(builder.tables(), i).offset = offset;
      range(builder.tables(), i).size = 64 * kPixels;
    }
    return builder;
  };
  CHECK(Plan::from_memory(later(32, 32 * kPixels).build().bytes()));
  expect_refused(
      later(16, 16 * kPixels), [](plan::Tables&) {}, "with a range of");
  expect_refused(
      later(32, 64 * kPixels), [](plan::Tables&) {}, "with a range of");
}

TEST_CASE("A range that leaves its segment or is not aligned to 64 bytes in it is rejected") {
  const auto with_segment = [](uint64_t offset) {
    PlanBuilder builder = divided_plan();
    const uint64_t size = builder.tables().buffers[2].size;
    REQUIRE(size >= 64);
    program(builder.tables()).ranges.push_back({.address = 0x100000, .size = size - 64, .offset = offset});
    return builder;
  };
  CHECK(Plan::from_memory(with_segment(64).build().bytes()));
  for (const uint64_t offset : {uint64_t{8}, uint64_t{128}, uint64_t{0} - 64})
    expect_refused(
        with_segment(offset), [](plan::Tables&) {}, "of segment 0");
}

TEST_CASE("A program for some channels of a channelwise operator may access only these channels") {
  for (uint32_t branch = 1; branch <= 6; ++branch) {
    CAPTURE(branch);
    const std::vector<uint64_t>& pixels = kPixelsOf[branch];
    const PlanFile file = channelwise(branch, pixels).build();
    const auto plan = Plan::from_memory(file.bytes(), Verification::kComplete);
    if (!plan) FAIL(plan.error().to_string());
    for (size_t operand = 0; operand < pixels.size(); ++operand) {
      for (const uint64_t blocks : {2u, 3u}) {
        std::vector<uint64_t> larger = pixels;
        larger[operand] *= blocks;
        expect_refused(
            channelwise(branch, larger), [](plan::Tables&) {}, "has a program for channels 0-16 with a range of");
      }
    }
  }
}

TEST_CASE("A program for some channels is rejected if the operands' channels differ from the output's") {
  const auto refused = [](uint32_t branch, const std::function<void(plan::Tables&, plan::Operator&)>& damage) {
    expect_not_divisible(channelwise(branch, kPixelsOf[branch]),
                         [&](plan::Tables& p) { damage(p, p.operators[p.branches[branch].operators[0]]); });
  };
  const auto input = [](plan::Tables& p, plan::Operator& op) -> plan::Tensor& {
    return p.tensors[static_cast<size_t>(op.inputs[0])];
  };
  for (const int32_t group : {0, 1, 2, 20, 39, 80, -40})
    refused(1, [&](plan::Tables&, plan::Operator& op) { std::get<ops::Conv>(op.attributes).group = group; });
  refused(1, [&](plan::Tables& p, plan::Operator& op) { p.tensors[static_cast<size_t>(op.inputs[3])].shape[2] = 5; });
  for (uint32_t branch = 1; branch <= 6; ++branch) {
    refused(branch, [&](plan::Tables& p, plan::Operator& op) { input(p, op).shape[1] = 36; });
    refused(branch, [&](plan::Tables& p, plan::Operator& op) { input(p, op).quantization.reset(); });
  }
  refused(2, [](plan::Tables&, plan::Operator& op) { std::get<ops::Pool>(op.attributes).kind = ops::PoolKind::kLp; });
  refused(4,
          [](plan::Tables&, plan::Operator& op) { std::get<ops::Binary>(op.attributes).kind = ops::BinaryKind::kSub; });
  refused(5,
          [](plan::Tables&, plan::Operator& op) { std::get<ops::Unary>(op.attributes).kind = ops::UnaryKind::kNeg; });
  refused(6, [](plan::Tables&, plan::Operator& op) { op.attributes = ops::Softmax(); });
}

}  // namespace
}  // namespace nestrt::test
