// SPDX-License-Identifier: Apache-2.0
#include "tools/support/report/compare_units.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <functional>

#include "nestrt/open_units.h"
#include "test/support/evta/renamed_cpu.h"
#include "test/support/plan/sample_plans.h"
#include "test/support/test_level.h"

namespace nestrt::test {
namespace {

const UnitInfo kIdle{.kind = "idle", .name = "idle0", .configuration = ""};

// A unit that runs a callback on its buffers and computes nothing.
class IdleUnit final : public Unit {
 public:
  using Work = std::function<void(std::span<std::byte* const> buffers)>;
  explicit IdleUnit(Work work = [](std::span<std::byte* const>) {}) : work_(std::move(work)) {}
  const UnitInfo& info() const override { return info_; }
  Result<std::unique_ptr<Executable>> prepare(const BranchSpec&) override {
    return std::unique_ptr<Executable>(std::make_unique<Program>(work_));
  }

 private:
  class Program final : public Executable {
   public:
    explicit Program(const Work& work) : work_(work) {}
    size_t scratch_bytes() const override { return 0; }
    void submit(const Submission& submission) override {
      work_(submission.bindings.buffers);
      submission.completion->signal(submission.generation, Status());
    }

   private:
    const Work work_;
  };

  const Work work_;
  const UnitInfo info_ = kIdle;
};

// Returns a program's write range: `bytes` bytes of a tensor from an offset.
plan::ProgramRange written(uint32_t tensor, uint64_t bytes, uint64_t offset = 0) {
  return {.size = bytes, .access = plan::RangeAccess::kWrite, .tensor = static_cast<int32_t>(tensor), .offset = offset};
}

// Adds a program for unit 'idle' to a branch, with the bytes of any constant.
void add_idle_program(PlanBuilder& builder, size_t branch, int constant, const plan::ProgramRange& range) {
  builder.build();  // completes the tables
  plan::Program program;
  program.unit = "idle";
  program.kind = plan::ProgramKind::kBlob;
  program.segments = {builder.tables().tensors[static_cast<size_t>(constant)].buffer};
  program.ranges = {range};
  builder.tables().branches[branch].programs.push_back(program);
}

// Returns the range of the first output, which is f32.
plan::ProgramRange result_of(PlanBuilder& builder) {
  const uint32_t tensor = builder.tables().outputs[0];
  return written(tensor, 4 * static_cast<uint64_t>(builder.tables().tensors[tensor].shape.num_elements()));
}

// Compares the only program that is not the CPU's.
tools::BranchComparison compare(PlanBuilder& builder,
                                const std::function<std::shared_ptr<Unit>(const UnitList&)>& make) {
  const PlanFile file = builder.build();
  const auto plan = Plan::from_memory(file.bytes());
  INFO(plan.error().to_string());
  REQUIRE(plan);
  UnitList units = *open_units("cpu", {.num_threads = 1});
  units.push_back(make(units));
  const auto comparisons = tools::compare_units(*plan, units);
  INFO(comparisons.error().to_string());
  REQUIRE(comparisons);
  REQUIRE(comparisons->size() == 1);
  return comparisons->front();
}

TEST_CASE("Results that are views, especially of constants, are neither overwritten nor compared") {
  PlanBuilder builder;
  const int x = builder.input("x", {2, 2}), y = builder.output("y", {2, 2});
  const int constant = builder.constant<float>("c", {4}, {1, 2, 3, 4}), view = builder.view("view", constant, {2, 2});
  builder.op("view", ops::Reshape{.shape = {2, 2}}, {constant}, {view});
  builder.op("add", binary(ops::BinaryKind::kAdd), {x, view}, {y});
  add_idle_program(builder, 0, constant, written(static_cast<uint32_t>(y), 16));
  const PlanFile file = builder.build(), before = file;
  UnitList units = *open_units("cpu", {.num_threads = 1});
  units.push_back(std::make_shared<IdleUnit>());
  const auto comparisons = tools::compare_units(*Plan::from_memory(file.bytes()), units);
  INFO(comparisons.error().to_string());
  REQUIRE(comparisons);
  REQUIRE(comparisons->size() == 1);
  CHECK(comparisons->front().bytes == 16);      // all bytes of y
  CHECK(comparisons->front().different == 16);  // the unit computed nothing
  CHECK(std::ranges::equal(file.bytes(), before.bytes()));
}

TEST_CASE("Every byte that a unit changes outside its results is found") {
  PlanBuilder builder = relu_plan();
  const int constant = builder.constant<float>("c", {4}, {1, 2, 3, 4});
  const uint32_t input = builder.tables().tensors[builder.tables().inputs[0].tensor].buffer;
  add_idle_program(builder, 0, constant, result_of(builder));
  const auto result = compare(builder, [&](const UnitList&) {
    return std::make_shared<IdleUnit>([=](std::span<std::byte* const> buffers) { buffers[input][5] ^= std::byte{1}; });
  });
  CHECK(result.stray == 1);
  CHECK(compare(builder, [](const UnitList&) { return std::make_shared<IdleUnit>(); }).stray == 0);
}

TEST_CASE("Values between the operators of a vendor's branch are not compared") {
  PlanBuilder builder;
  const int x = builder.input("x", {4}), u = builder.arena("u", {4}), y = builder.output("y", {4});
  const int constant = builder.constant<float>("c", {4}, {1, 2, 3, 4});
  builder.op("first", unary(ops::UnaryKind::kRelu), {x}, {u});
  builder.op("second", unary(ops::UnaryKind::kRelu), {u}, {y});
  add_idle_program(builder, 0, constant, written(static_cast<uint32_t>(y), 16));
  const uint32_t output = builder.tables().tensors[static_cast<size_t>(y)].buffer;
  const auto idle = compare(builder, [](const UnitList&) { return std::make_shared<IdleUnit>(); });
  CHECK(idle.bytes == 16);
  CHECK(idle.different == 16);
  CHECK(idle.stray == 0);
  // Computes the result alone, as a vendor does.
  const uint32_t input = builder.tables().tensors[builder.tables().inputs[0].tensor].buffer;
  const auto right = compare(builder, [&](const UnitList&) {
    return std::make_shared<IdleUnit>([=](std::span<std::byte* const> buffers) {
      const auto* const from = reinterpret_cast<const float*>(buffers[input]);
      auto* const to = reinterpret_cast<float*>(buffers[output]);
      for (size_t i = 0; i < 4; ++i) to[i] = std::max(from[i], 0.0f);
    });
  });
  CHECK(right.bytes == 16);
  CHECK(right.different == 0);
  CHECK(right.stray == 0);
}

TEST_CASE("Operands of an in-place Concat are not results of its branch") {
  PlanBuilder builder;
  const int x = builder.input("x", {2, 4}), y = builder.output("y", {4, 4});
  const int first = builder.view("first", y, {2, 4}), second = builder.arena("second", {2, 4});
  builder.op("first", unary(ops::UnaryKind::kRelu), {x}, {first});
  builder.op("second", unary(ops::UnaryKind::kRelu), {x}, {second});
  builder.branch();
  builder.op("y", ops::Concat{.axis = 0}, {first, second}, {y});
  builder.build();  // completes the tables
  // Uses kernel programs, because other programs declare their writes, which cover whole tensors.
  builder.tables().branches[1].programs.emplace_back().unit = kIdle.kind;
  const auto result =
      compare(builder, [](const UnitList& units) { return std::make_shared<RenamedCpu>(units.front(), kIdle); });
  CHECK(result.bytes == 32);
  CHECK(result.different == 0);
  CHECK(result.stray == 0);
}

TEST_CASE("A comparison allocates only the buffers that its branch accesses") {
  PlanBuilder builder = relu_plan();
  const int constant = builder.constant<float>("c", {4}, {1, 2, 3, 4});
  builder.arena("unused", {int64_t{1} << 38});  // 1 TB
  add_idle_program(builder, 0, constant, result_of(builder));
  CHECK(compare(builder, [](const UnitList&) { return std::make_shared<IdleUnit>(); }).stray == 0);
}

TEST_CASE("Branches that share a long buffer are compared only for the bytes they access") {
  const auto many = static_cast<size_t>(by_level(50, 500, 500));  // minutes, if it processed the whole buffer each time
  PlanBuilder builder;
  const int x = builder.input("x", {4}), y = builder.output("y", {4});
  const int whole = builder.arena("whole", {int64_t{1} << 26});  // 256 MB
  const int constant = builder.constant<float>("c", {4}, {1, 2, 3, 4});
  std::vector<uint32_t> parts;
  for (size_t i = 0; i < many; ++i) {
    const int part = builder.view("part", whole, {4}, 16 * i);
    parts.push_back(static_cast<uint32_t>(part));
    builder.op("part", unary(ops::UnaryKind::kRelu), {x}, {part});
    builder.branch();
  }
  builder.op("y", unary(ops::UnaryKind::kRelu), {x}, {y});
  for (size_t i = 0; i < many; ++i) add_idle_program(builder, i, constant, written(parts[i], 16));
  UnitList units = *open_units("cpu", {.num_threads = 1});
  units.push_back(std::make_shared<RenamedCpu>(units.front(), kIdle));
  const PlanFile file = builder.build();
  const auto plan = Plan::from_memory(file.bytes());
  if (!plan) FAIL(plan.error().to_string());
  const auto comparisons = tools::compare_units(*plan, units);
  REQUIRE(comparisons);
  REQUIRE(comparisons->size() == many);
  for (const auto& comparison : *comparisons) CHECK(comparison.different + comparison.stray == 0);
}

}  // namespace
}  // namespace nestrt::test
