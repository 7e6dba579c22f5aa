// SPDX-License-Identifier: Apache-2.0
// Tests which tensors of a plan may be folded images, and which operators and programs accept them.
#include <catch2/catch.hpp>
#include <functional>

#include "nestrt/plan.h"
#include "test/support/plan/plan_builder.h"

namespace nestrt::test {
namespace {

using Catch::Matchers::Contains;

// Size of the image, both folded and plain.
constexpr uint64_t kBytes = 3 * 3 * 16;

enum Tensors { kX, kFolded };

// Converts an f32 image to folded s8, plain s8 and f32 again. An NPU program reads the folded image.
PlanBuilder folded_plan() {
  PlanBuilder builder;
  const Shape shape{1, 4, 6, 6};
  const int x = builder.input("x", shape);
  const int folded = builder.quantize(builder.arena("folded", shape, DataType::kS8), {4});
  const int plain = builder.quantize(builder.arena("plain", shape, DataType::kS8), {4});
  const int y = builder.output("y", shape);
  const int stream = builder.constant<float>("stream", {4}, {0, 0, 0, 0});
  builder.op("quantize", ops::Quantize{}, {x}, {folded});
  builder.branch();
  builder.op("reorder", ops::Reorder{}, {folded}, {plain});
  builder.branch();
  builder.op("dequantize", ops::Dequantize{}, {plain}, {y});
  plan::Tables& tables = builder.tables();
  tables.tensors[static_cast<size_t>(folded)].layout = Layout::kFolded2;
  plan::Program program;
  program.unit = "npu";
  program.kind = plan::ProgramKind::kInstructions;
  program.segments = {tables.tensors[static_cast<size_t>(stream)].buffer};
  program.ranges.push_back({.size = kBytes, .tensor = folded});
  program.ranges.push_back({.address = 4096, .size = kBytes, .access = plan::RangeAccess::kWrite, .tensor = plain});
  tables.branches[1].programs.push_back(std::move(program));
  return builder;
}

std::string refusal(const std::function<void(plan::Tables&)>& damage) {
  PlanBuilder builder = folded_plan();
  damage(builder.tables());
  const auto plan = Plan::from_memory(builder.build().bytes());
  REQUIRE_FALSE(plan);
  return std::string(plan.error().message());
}

TEST_CASE("A program reads a folded image unchanged or in wider blocks") {
  CHECK(Plan::from_memory(folded_plan().build().bytes()));
  PlanBuilder wide = folded_plan();
  plan::ProgramRange& range = wide.tables().branches[1].programs[1].ranges[0];
  range.layout = plan::RangeLayout::kBlocked32;
  range.size = 2 * kBytes;
  CHECK(Plan::from_memory(wide.build().bytes()));
  CHECK_THAT(refusal([](plan::Tables& tables) {
               tables.branches[1].programs[1].ranges[0].layout = plan::RangeLayout::kBlocked32;
             }),
             Contains("in blocks of 32 channels"));
  CHECK_THAT(refusal([](plan::Tables& tables) {
               tables.branches[1].programs[1].ranges[0].layout = plan::RangeLayout::kBytes16;
             }),
             Contains("in a layout that it cannot be converted to"));
}

TEST_CASE("Only s8 images are folded") {
  CHECK_THAT(refusal([](plan::Tables& tables) { tables.tensors[kX].layout = Layout::kFolded2; }),
             Contains("layout folded2 is for s8 images, not for f32 1x4x6x6"));
  CHECK_THAT(refusal([](plan::Tables& tables) {
               tables.tensors[kFolded].shape = {1, 4, 36};
             }),
             Contains("layout folded2 is for s8 images, not for s8 1x4x36"));
}

TEST_CASE("Operators that do not support folded images may not read them") {
  CHECK_THAT(refusal([](plan::Tables& tables) {
               tables.operators[2].inputs = {kFolded};
               tables.branches[1].programs.pop_back();
             }),
             Contains("Dequantize has an operand in layout folded2"));
  CHECK_THAT(refusal([](plan::Tables& tables) {
               tables.operators[1].attributes = ops::Unary{};
               tables.branches[1].programs.pop_back();
             }),
             Contains("Unary has an operand in layout folded2"));
}

}  // namespace
}  // namespace nestrt::test
