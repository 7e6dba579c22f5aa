// SPDX-License-Identifier: Apache-2.0
// Tests, with plans that no compiler generates, that the result of a program does not depend on the location or the
// producer of its tensors.
#include <catch2/catch.hpp>
#include <memory>

#include "drivers/evta/driver/evta_unit.h"
#include "drivers/evta/simulator/simulator_transport.h"
#include "nestrt/driver/schedule.h"
#include "nestrt/open_units.h"
#include "nestrt/session.h"
#include "runtime/core/tensor_set.h"
#include "test/support/plan/copy_plan.h"
#include "test/support/plan/plan_builder.h"

namespace nestrt::evta {
namespace {

using nestrt::test::PlanBuilder;
using nestrt::test::PlanFile;

const Shape kSquare = {16, 16};
const ops::Transpose kCopy{.permutation = {0, 1}};

// A plan in which programs multiply rows by a tile of weights (test/support/plan/copy_plan.h).
class CraftedPlan {
 public:
  explicit CraftedPlan(const Configuration& configuration = kConfigurations[0]) : configuration_(configuration) {}

  // Returns a program of `rows` rows. Its segments are still tensors, as in add_copy_segments().
  plan::Program program(uint16_t rows) {
    plan::Program program;
    program.unit = "evta";
    program.kind = plan::ProgramKind::kInstructions;
    program.configuration = configuration_.name;
    for (const int tensor : test::add_copy_segments(&builder, configuration_, rows))
      program.segments.push_back(static_cast<uint32_t>(tensor));
    const auto uop_bytes = static_cast<uint64_t>(configuration_.uop_bytes());
    program.ranges.push_back({test::kUopAddress, uop_bytes, plan::RangeAccess::kRead, -1, 1});
    return program;
  }
  void set_identity_weights(plan::Program& program) const {
    const auto block = static_cast<uint64_t>(configuration_.block());
    program.ranges.push_back({test::kWgtAddress, block * block, plan::RangeAccess::kRead, -1, 2});
  }

  void add_program(size_t branch, plan::Program program) { programs_.emplace_back(branch, std::move(program)); }

  // Adds one branch.
  void copy(int from, int to) {
    builder.op("copy" + std::to_string(to), kCopy, {from}, {to});
    builder.branch();
  }
  std::shared_ptr<const Plan> made() {
    plan::Tables& tables = builder.tables();  // complete at this point
    for (auto& [branch, program] : programs_) {
      for (uint32_t& segment : program.segments) segment = tables.tensors[segment].buffer;
      tables.branches[branch].programs.push_back(std::move(program));
    }
    plan::MemoryPlan any = tables.memory_plans[0];
    any.kind = plan::MemoryPlanKind::kAnySchedule;
    tables.memory_plans.push_back(any);
    file_ = std::make_unique<PlanFile>(builder.build());
    const auto plan = Plan::from_memory(file_->bytes(), Verification::kComplete);
    if (!plan) FAIL(plan.error().to_string());
    return *plan;
  }

  PlanBuilder builder;

 private:
  const Configuration& configuration_;
  std::vector<std::pair<size_t, plan::Program>> programs_;  // branch and its program, whose segments are tensors
  std::unique_ptr<PlanFile> file_;                          // source of the plan
};

// The bytes of all outputs, and whether the inputs are unchanged.
struct Outcome {
  std::vector<std::byte> outputs;
  bool inputs_untouched = false;
};

// Runs branches one after the other, on the second unit if they have a program for it.
std::shared_ptr<const Schedule> one_by_one(const Plan& plan) {
  Schedule schedule;
  schedule.lanes = {{0}, {1}};
  for (uint32_t branch = 0; branch < plan.tables().branches.size(); ++branch) {
    Step& step = schedule.steps.emplace_back();
    step.branch = branch;
    step.lane = step.program = plan.tables().branches[branch].programs.size() > 1 ? 1 : 0;
    if (branch > 0) step.waits = {branch - 1};
  }
  return std::make_shared<const Schedule>(std::move(schedule));
}

Outcome run(const std::shared_ptr<const Plan>& plan, const UnitList& units, SessionOptions options = {}) {
  if (units.size() > 1) options.fixed_schedule = one_by_one(*plan);
  const auto session = Session::create(plan, units, options);
  if (!session) FAIL(session.error().to_string());
  const TensorSet inputs = *TensorSet::random(plan->inputs()), before = *TensorSet::random(plan->inputs());
  const TensorSet outputs = *TensorSet::create(plan->outputs());
  for (int runs = 0; runs < 2; ++runs) REQUIRE((*session)->run(inputs.const_views(), outputs.views()).ok());
  CHECK((*session)->num_host_fallbacks() == 0);
  const auto bytes_of = [](const auto& views) {
    std::vector<std::byte> bytes;
    for (const auto& view : views) {
      const auto* const begin = static_cast<const std::byte*>(view.data);
      bytes.insert(bytes.end(), begin, begin + view.shape.num_elements() * static_cast<int64_t>(size_bytes(view.type)));
    }
    return bytes;
  };
  return {bytes_of(outputs.views()), bytes_of(inputs.const_views()) == bytes_of(before.const_views())};
}

UnitList cpu() { return *open_units("cpu", {.num_threads = 1}); }

std::shared_ptr<Unit> accelerator(const Configuration& configuration, HostView view) {
  SimulatorOptions options;
  options.host_view = view;
  options.stale = std::byte{0x5a};
  return *open_evta_unit({&configuration, 0}, make_simulator_transport(options));
}

// Compares the CPU and an accelerator together with the CPU alone, for every host view.
void check_like_cpu(const std::shared_ptr<const Plan>& plan, const SessionOptions& options = {},
                    const Configuration& configuration = kConfigurations[0]) {
  const std::vector<std::byte> expected = run(plan, cpu()).outputs;
  for (const HostView view : {HostView::kShared, HostView::kSeparate, HostView::kCached}) {
    CAPTURE(static_cast<int>(view));
    UnitList units = cpu();
    units.push_back(accelerator(configuration, view));
    const Outcome outcome = run(plan, units, options);
    CHECK(outcome.outputs == expected);
    CHECK(outcome.inputs_untouched);
  }
}

TEST_CASE("Weights in the arena without tile alignment are read in place") {
  CraftedPlan crafted;
  PlanBuilder& builder = crafted.builder;
  const int in = builder.input("in", kSquare, DataType::kS8), first = builder.input("first", {4, 16}, DataType::kS8);
  const int out = builder.output("out", kSquare, DataType::kS8), last = builder.output("last", {4, 16}, DataType::kS8);
  const int before = builder.arena("before", {4, 16}, DataType::kS8);  // 64 bytes
  const int x = builder.arena("x", kSquare, DataType::kS8), turned = builder.arena("turned", kSquare, DataType::kS8);
  crafted.copy(first, before);
  crafted.copy(in, x);
  builder.op("transpose", ops::Transpose{.permutation = {1, 0}}, {x}, {turned});
  builder.branch();
  crafted.copy(turned, out);
  crafted.copy(before, last);
  plan::Program program = crafted.program(16);  // the identity by x
  program.ranges.push_back({test::kWgtAddress, 256, plan::RangeAccess::kRead, x});
  program.ranges.push_back({test::kInpAddress, 256, plan::RangeAccess::kRead, -1, 2});
  program.ranges.push_back({test::kOutAddress, 256, plan::RangeAccess::kWrite, turned});
  crafted.add_program(2, program);
  check_like_cpu(crafted.made());
}

// A plan in which one branch contains a view and a copy of a tensor from the CPU. The next branch, also on the
// accelerator, reads the view.
struct PlanWithView {
  // `of_input`: the view refers to the caller's input.
  explicit PlanWithView(bool of_input) {
    PlanBuilder& builder = crafted.builder;
    const int in = builder.input("in", kSquare, DataType::kS8), other = builder.input("other", kSquare, DataType::kS8);
    const int out = builder.output("out", kSquare, DataType::kS8),
              out2 = builder.output("out2", kSquare, DataType::kS8);
    const int x = of_input ? in : builder.arena("x", kSquare, DataType::kS8);
    const int view = builder.view("view", x, kSquare);
    const int copied = builder.arena("copied", kSquare, DataType::kS8);
    const int result = builder.arena("result", kSquare, DataType::kS8);
    if (!of_input) crafted.copy(in, x);
    const size_t branch = of_input ? 0 : 1;
    builder.op("view", ops::Reshape{.shape = {16, 16}}, {x}, {view});
    builder.op("copy", kCopy, {other}, {copied});
    builder.branch();
    crafted.copy(view, result);
    crafted.copy(result, out);
    crafted.copy(copied, out2);
    add_copy(branch, other, copied);
    add_copy(branch + 1, view, result);
  }
  void add_copy(size_t branch, int from, int to) {
    plan::Program program = crafted.program(16);
    crafted.set_identity_weights(program);
    program.ranges.push_back({test::kInpAddress, 256, plan::RangeAccess::kRead, from});
    program.ranges.push_back({test::kOutAddress, 256, plan::RangeAccess::kWrite, to});
    crafted.add_program(branch, program);
  }

  CraftedPlan crafted;
};

TEST_CASE("A view in an accelerator's branch is transferred and does not count as its result") {
  check_like_cpu(PlanWithView(false).crafted.made());
}

TEST_CASE("Result checks cover only what a branch computes and leave views and the caller's data unchanged") {
  SessionOptions options;
  options.fault_tolerance.check_every = 1;
  for (const bool of_input : {false, true}) check_like_cpu(PlanWithView(of_input).crafted.made(), options);
}

TEST_CASE("A unit with checked results need not compute unread values") {
  SessionOptions options;
  options.fault_tolerance.check_every = 1;
  CraftedPlan crafted;
  PlanBuilder& builder = crafted.builder;
  const int in = builder.input("in", kSquare, DataType::kS8), out = builder.output("out", kSquare, DataType::kS8);
  const int inner = builder.arena("inner", kSquare, DataType::kS8), y = builder.arena("y", kSquare, DataType::kS8);
  builder.op("inner", kCopy, {in}, {inner});
  crafted.copy(inner, y);
  crafted.copy(y, out);
  plan::Program program = crafted.program(16);
  crafted.set_identity_weights(program);
  program.ranges.push_back({test::kInpAddress, 256, plan::RangeAccess::kRead, in});
  program.ranges.push_back({test::kOutAddress, 256, plan::RangeAccess::kWrite, y});
  crafted.add_program(0, program);
  check_like_cpu(crafted.made(), options);
}

// Copies a tensor of 48 channels twice, first in the configuration's blocks, which are not the plan's.
void check_other_blocks(const Configuration& configuration, plan::RangeLayout layout) {
  const Shape shape = {1, 48, 2, 2};
  CraftedPlan crafted(configuration);
  PlanBuilder& builder = crafted.builder;
  const auto s8 = [&](int tensor) { return builder.quantize(tensor, {4}); };
  const int in = builder.input("in", shape), out = builder.output("out", shape);
  const int quantized = s8(builder.arena("quantized", shape, DataType::kS8));
  const int plain = s8(builder.arena("plain", shape, DataType::kS8));
  const int blocks = s8(builder.blocked("blocks", shape, DataType::kS8));
  const int result = s8(builder.blocked("result", shape, DataType::kS8));
  const int converted = s8(builder.blocked("converted", shape, DataType::kS8));  // last in the arena
  ops::Pool pool;
  pool.kind = ops::PoolKind::kMax;
  pool.kernel = pool.stride = pool.dilation = {1, 1};
  pool.pad_begin = pool.pad_end = {0, 0};
  const auto add = [&](const char* name, const ops::Attributes& attributes, int from, int to) {
    builder.op(name, attributes, {from}, {to});
    builder.branch();
  };
  add("quantize", ops::Quantize{}, in, quantized);
  add("to_blocks", ops::Reorder{}, quantized, blocks);
  add("first", pool, blocks, converted);
  add("second", pool, converted, result);
  add("from_blocks", ops::Reorder{}, result, plain);
  add("dequantize", ops::Dequantize{}, plain, out);
  const auto block = static_cast<uint64_t>(configuration.block());
  const uint64_t plan_bytes = 192, unit_bytes = (48 + block - 1) / block * block * 4;
  plan::Program first = crafted.program(static_cast<uint16_t>(unit_bytes / block));
  plan::Program second = crafted.program(static_cast<uint16_t>(plan_bytes / block));
  for (plan::Program* program : {&first, &second}) crafted.set_identity_weights(*program);
  first.ranges.push_back({test::kInpAddress, unit_bytes, plan::RangeAccess::kRead, blocks, 0, layout});
  first.ranges.push_back({test::kOutAddress, unit_bytes, plan::RangeAccess::kWrite, converted, 0, layout});
  second.ranges.push_back({test::kInpAddress, plan_bytes, plan::RangeAccess::kRead, converted});
  second.ranges.push_back({test::kOutAddress, plan_bytes, plan::RangeAccess::kWrite, result});
  crafted.add_program(2, first);
  crafted.add_program(3, second);
  check_like_cpu(crafted.made(), {}, configuration);
}

TEST_CASE("A result in other blocks than the plan's is read back by the accelerator, also at the end of the arena") {
  check_other_blocks(*find_configuration("1x32_15_15_18_17"), plan::RangeLayout::kBlocked32);
  check_other_blocks(*find_configuration("1x8_14_13_15_15"), plan::RangeLayout::kBlocked8);
}

}  // namespace
}  // namespace nestrt::evta
