// SPDX-License-Identifier: Apache-2.0
#include "nestrt/session.h"

#include <algorithm>
#include <atomic>
#include <catch2/catch.hpp>
#include <limits>
#include <new>
#include <thread>

#include "nestrt/driver/unit.h"
#include "nestrt/log.h"
#include "nestrt/open_units.h"
#include "runtime/core/instruction_set.h"
#include "test/support/plan/sample_plans.h"
#include "test/support/process/allocation_counter.h"

namespace nestrt::test {
namespace {

std::shared_ptr<const Plan> load(const PlanFile& file) {
  auto plan = Plan::from_memory(file.bytes(), Verification::kComplete);
  if (!plan) FAIL(plan.error().to_string());
  return *plan;
}

std::unique_ptr<Session> open(const PlanFile& file, int num_threads = 1) {
  UnitOptions options;
  options.num_threads = num_threads;
  auto units = open_units("cpu", options);
  REQUIRE(units);
  auto session = Session::create(load(file), *units);
  if (!session) FAIL(session.error().to_string());
  return std::move(*session);
}

TEST_CASE("A session runs an operator on the caller's memory") {
  const PlanFile file = relu_plan().build();
  const auto session = open(file);
  const std::vector<float> x = {-1, 2, -3, 4, -5, 6};
  std::vector<float> y(6, 9);
  const ConstTensorView inputs[] = {tensor_view(x, {2, 3})};
  const TensorView outputs[] = {tensor_view(std::span<float>(y), {2, 3})};
  REQUIRE(session->run(inputs, outputs).ok());
  CHECK(y == std::vector<float>{0, 2, 0, 4, 0, 6});
}

TEST_CASE("Branches run sequentially and use arena and constants") {
  const PlanFile file = branches_plan().build();
  const auto session = open(file, 2);
  std::vector<float> x(16), y(16), expected(16);
  for (int i = 0; i < 16; ++i) {
    x[i] = static_cast<float>(i - 8);
    expected[i] = std::max(x[i], 0.0f) + static_cast<float>(i % 8 + 1) * x[i];
  }
  const ConstTensorView inputs[] = {tensor_view(std::span<const float>(x), {2, 8})};
  const TensorView outputs[] = {tensor_view(std::span<float>(y), {2, 8})};
  REQUIRE(session->run(inputs, outputs).ok());
  CHECK(y == expected);
}

TEST_CASE("Reshape, Slice and Concat in place compute nothing") {
  const PlanFile file = views_plan().build();
  const auto session = open(file);
  const std::vector<float> x = {-1, 2, -3, 4};
  std::vector<float> y(8), z(3);
  const ConstTensorView inputs[] = {tensor_view(x, {1, 4})};
  const TensorView outputs[] = {tensor_view(std::span<float>(y), {8, 1}), tensor_view(std::span<float>(z), {3, 1})};
  REQUIRE(session->run(inputs, outputs).ok());
  CHECK(y == std::vector<float>{0, 4, 0, 8, 2, -4, 6, -8});
  CHECK(z == std::vector<float>{2, 3, 4});
  int views = 0;
  for (const OperatorSummary& op : session->operators()) views += op.kernel == "view";
  CHECK(views == 3);
}

TEST_CASE("Concat copies only the inputs that are not already in place") {
  PlanBuilder builder;
  const int x = builder.input("x", {1, 3});
  const int whole = builder.arena("whole", {1, 9});
  const int first = builder.view("first", whole, {1, 3});
  const int y = builder.output("y", {1, 9});
  builder.op("neg", unary(ops::UnaryKind::kNeg), {x}, {first});
  builder.op("concat", ops::Concat{.axis = 1}, {first, first, x}, {whole});
  builder.op("double", binary(ops::BinaryKind::kAdd), {whole, whole}, {y});
  const PlanFile file = builder.build();
  const auto session = open(file, 2);
  const std::vector<float> values = {1, 2, 3};
  std::vector<float> result(9);
  const ConstTensorView inputs[] = {tensor_view(values, {1, 3})};
  const TensorView outputs[] = {tensor_view(std::span<float>(result), {1, 9})};
  REQUIRE(session->run(inputs, outputs).ok());
  CHECK(result == std::vector<float>{-2, -4, -6, -2, -4, -6, 2, 4, 6});
}

// branches_plan with its arguments.
struct BranchesRun {
  std::vector<float> x = std::vector<float>(16), y = std::vector<float>(16), expected = std::vector<float>(16);
  ConstTensorView inputs[1];
  TensorView outputs[1];

  explicit BranchesRun(float first) {
    for (size_t i = 0; i < 16; ++i) {
      x[i] = first + static_cast<float>(i);
      expected[i] = std::max(x[i], 0.0f) + static_cast<float>(i % 8 + 1) * x[i];
    }
    inputs[0] = tensor_view(std::span<const float>(x), {2, 8});
    outputs[0] = tensor_view(std::span<float>(y), {2, 8});
  }
  bool right() const { return y == expected; }
};

TEST_CASE("Sessions with the same plan and threads run concurrently") {
  const PlanFile file = branches_plan().build();
  const auto plan = load(file);
  UnitOptions options;
  options.num_threads = 3;
  const auto units = open_units("cpu", options);
  REQUIRE(units);
  std::atomic<int> failures{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&, i] {
      auto session = Session::create(plan, *units);
      if (!session) {
        ++failures;
        return;
      }
      for (int round = 0; round < 200; ++round) {
        BranchesRun call(static_cast<float>(i * 100 + round));
        failures += !(*session)->run(call.inputs, call.outputs).ok() || !call.right();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(failures == 0);
}

TEST_CASE("A second caller of one session waits for the first") {
  const PlanFile file = branches_plan().build();
  const auto session = open(file, 2);
  std::atomic<int> failures{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&, i] {
      for (int round = 0; round < 200; ++round) {
        BranchesRun call(static_cast<float>(i * 100 - round));
        failures += !session->run(call.inputs, call.outputs).ok() || !call.right();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(failures == 0);
}

TEST_CASE("A run allocates nothing") {
  const PlanFile file = branches_plan().build();
  const auto session = open(file, 3);
  BranchesRun call(-5);
  bool ok = true;
  int64_t allocations = 0;
  {
    const AllocationCounter counter;
    for (int round = 0; round < 100; ++round) ok &= session->run(call.inputs, call.outputs).ok();
    allocations = counter.count();
  }
  CHECK(ok);
  CHECK(call.right());
  CHECK(allocations == 0);
}

TEST_CASE("The allocation counter counts") {
  const AllocationCounter counter;
  ::operator delete(::operator new(64));
  CHECK(counter.count() >= 1);
}

TEST_CASE("Invalid arguments are rejected with the expected and actual values") {
  const PlanFile file = relu_plan().build();
  const auto session = open(file);
  std::vector<float> x(8), y(8);
  const auto refusal = [&](std::vector<ConstTensorView> inputs, std::vector<TensorView> outputs) {
    const Status status = session->run(inputs, outputs);
    CHECK(status.code() == Code::kInvalidArgument);
    return std::string(status.message());
  };
  const TensorView good_y{DataType::kF32, {2, 3}, y.data()};
  const ConstTensorView good_x{DataType::kF32, {2, 3}, x.data()};
  auto* const odd = reinterpret_cast<std::byte*>(y.data()) + 2;

  CHECK(refusal({}, {good_y}) == "the plan expects 1 inputs, got 0");
  CHECK(refusal({good_x}, {good_y, good_y}) == "the plan expects 1 outputs, got 2");
  CHECK(refusal({{DataType::kF32, {3, 2}, x.data()}}, {good_y}) == "input 0 'x': expected f32 2x3, got f32 3x2");
  CHECK(refusal({{DataType::kS32, {2, 3}, x.data()}}, {good_y}) == "input 0 'x': expected f32 2x3, got s32 2x3");
  CHECK(refusal({good_x}, {{DataType::kF32, {6}, y.data()}}) == "output 0 'y': expected f32 2x3, got f32 6");
  CHECK(refusal({good_x}, {{DataType::kF32, {2, 3}, nullptr}}) ==
        "output 0 'y': expected 24 bytes of memory, got null");
  CHECK(refusal({tensor_view(std::span<const float>(x).first(5), {2, 3})}, {good_y}) ==
        "input 0 'x': expected 24 bytes of memory, got 20");
  CHECK(refusal({good_x}, {tensor_view(std::span(y).first(5), {2, 3})}) ==
        "output 0 'y': expected 24 bytes of memory, got 20");
  CHECK(refusal({good_x}, {{DataType::kF32, {2, 3}, odd}}) ==
        "output 0 'y': memory must be aligned to 4 bytes, the size of f32");
  CHECK(refusal({good_x}, {{DataType::kF32, {2, 3}, x.data() + 1}}) ==
        "input 0 'x' and output 0 'y' share memory; give every output separate memory");
  CHECK(session->run(std::vector{good_x}, std::vector{good_y}).ok());
}

TEST_CASE("Inputs may share memory, outputs may not") {
  PlanBuilder builder;
  const int a = builder.input("a", {4});
  const int b = builder.input("b", {4});
  const int sum = builder.output("sum", {4});
  const int difference = builder.output("difference", {4});
  builder.op("sum", binary(ops::BinaryKind::kAdd), {a, b}, {sum});
  builder.op("difference", binary(ops::BinaryKind::kSub), {a, b}, {difference});
  const PlanFile file = builder.build();
  const auto session = open(file);
  std::vector<float> x = {1, 2, 3, 4}, y(8);
  const ConstTensorView in{DataType::kF32, {4}, x.data()};
  const auto out = [&](size_t first) { return TensorView{DataType::kF32, {4}, y.data() + first}; };
  CHECK(session->run(std::vector{in, in}, std::vector{out(0), out(4)}).ok());
  CHECK(y == std::vector<float>{2, 4, 6, 8, 0, 0, 0, 0});
  CHECK_FALSE(session->run(std::vector{in, in}, std::vector{out(0), out(3)}).ok());
}

TEST_CASE("Sessions that cannot run are rejected at creation") {
  const PlanFile file = relu_plan().build();
  const auto units = open_units();
  REQUIRE(units);
  CHECK(Session::create(nullptr, *units).error().code() == Code::kInvalidArgument);
  CHECK(Session::create(load(file), {}).error().code() == Code::kInvalidArgument);
  CHECK(Session::create(load(file), {nullptr}).error().code() == Code::kInvalidArgument);
  const auto twice = Session::create(load(file), {units->front(), units->front()});
  REQUIRE_FALSE(twice);
  CHECK_THAT(twice.error().to_string(), Catch::Contains("pass each unit once"));
}

TEST_CASE("Invalid options are rejected by name") {
  const PlanFile file = relu_plan().build();
  const auto units = open_units();
  const auto expect_refused = [&](const SessionOptions& options, const std::string& name) {
    const auto session = Session::create(load(file), *units, options);
    REQUIRE_FALSE(session);
    CHECK(session.error().code() == Code::kInvalidArgument);
    CHECK_THAT(session.error().to_string(), Catch::Contains(name));
  };
  using std::chrono::milliseconds;
  expect_refused({.fault_tolerance = {.unit_timeout = milliseconds(0)}}, "FaultToleranceOptions::unit_timeout");
  for (const double factor : {-1.0, 0.5, 1e7, std::numeric_limits<double>::quiet_NaN()})
    expect_refused({.fault_tolerance = {.timeout_factor = factor}}, "FaultToleranceOptions::timeout_factor");
  for (const double drift : {-0.1, std::numeric_limits<double>::quiet_NaN()})
    expect_refused({.adaptation = {.drift = drift}}, "AdaptationOptions::drift");
  for (const milliseconds slack : {milliseconds(-1), milliseconds(90'000'000)})
    expect_refused({.fault_tolerance = {.timeout_slack = slack}}, "FaultToleranceOptions::timeout_slack");
  expect_refused({.costs = {.measure = static_cast<Measuring>(9)}}, "CostOptions::measure");
  expect_refused({.adaptation = {.kernels = static_cast<KernelChoice>(9)}}, "AdaptationOptions::kernels");
  const auto scheduled = [](ScheduleOptions schedule) {
    SessionOptions options;
    options.schedule = std::move(schedule);
    return options;
  };
  expect_refused(scheduled({.method = static_cast<ScheduleMethod>(9)}), "ScheduleOptions::method");
  expect_refused(scheduled({.budget = std::chrono::microseconds(-1)}), "ScheduleOptions::budget");
  expect_refused(scheduled({.others = {-3.0}}), "ScheduleOptions::others");
  CHECK(Session::create(load(file), *units,
                        {.fault_tolerance = {.timeout_factor = 1, .timeout_slack = milliseconds(0)}}));
}

// A unit that rejects every program.
class ForeignUnit final : public Unit {
 public:
  explicit ForeignUnit(std::string kind) { info_.kind = info_.name = std::move(kind); }
  const UnitInfo& info() const override { return info_; }
  Result<std::unique_ptr<Executable>> prepare(const BranchSpec&) override {
    return Status(Code::kIncompatible, "the configurations differ");
  }

 private:
  UnitInfo info_;
};

TEST_CASE("A plan without a program for the session's units is incompatible, and the message contains the remedy") {
  const PlanFile file = relu_plan().build();
  const auto session = Session::create(load(file), {std::make_shared<ForeignUnit>("npu")});
  REQUIRE_FALSE(session);
  CHECK(session.error().code() == Code::kIncompatible);
  CHECK(session.error().message() ==
        "branch 0 has programs for cpu, but the session's units are npu; add a unit or "
        "recompile the model for it");
}

TEST_CASE("A program for another configuration is incompatible, with the unit's explanation") {
  PlanBuilder builder = relu_plan();
  plan::Program program;
  program.unit = "npu";
  program.configuration = "another";
  builder.tables().branches[0].programs.push_back(std::move(program));
  const PlanFile file = builder.build();
  const auto session = Session::create(load(file), {std::make_shared<ForeignUnit>("npu")});
  REQUIRE_FALSE(session);
  CHECK(session.error().code() == Code::kIncompatible);
  CHECK(session.error().message() == "the configurations differ");
}

TEST_CASE("Weights that are not packed for this CPU are repacked and reported") {
  const PlanFile file = unpacked_conv_plan().build(), reference_file = plain_conv_plan().build();
  std::vector<std::string> messages;
  set_log_hook([&](LogLevel, std::string_view message) { messages.emplace_back(message); });
  set_log_level(LogLevel::kInfo);
  const auto session = open(file, 2), reference = open(reference_file);
  set_log_level(LogLevel::kWarning);
  set_log_hook({});
  REQUIRE(messages.size() == 1);
  CHECK(messages[0].find("test: 432 bytes of weights are packed for another CPU") == 0);
  REQUIRE(session->operators().size() == 2);
  CHECK(session->operators()[0].repacked);
  CHECK(session->memory().repacked_bytes == 4 * 3 * 9 * sizeof(float));
  CHECK_FALSE(reference->operators()[0].repacked);
  CHECK(reference->memory().repacked_bytes == 0);

  std::vector<float> x(75), y(100), expected(100);
  for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i % 7) - 3;
  const ConstTensorView inputs[] = {tensor_view(x, {1, 3, 5, 5})};
  REQUIRE(session->run(inputs, std::vector{tensor_view(y, {1, 4, 5, 5})}).ok());
  REQUIRE(reference->run(inputs, std::vector{tensor_view(expected, {1, 4, 5, 5})}).ok());
  for (size_t i = 0; i < y.size(); ++i) CHECK(y[i] == Approx(expected[i]).margin(1e-5));
}

TEST_CASE("An arena larger than the machine's memory fails with kOutOfMemory") {
  PlanBuilder builder = branches_plan();
  builder.tables().memory_plans[0].arena_bytes = uint64_t{1} << 60;
  const PlanFile file = builder.build();
  const auto session = Session::create(load(file), *open_units());
  REQUIRE_FALSE(session);
  CHECK(session.error().code() == Code::kOutOfMemory);
}

TEST_CASE("A plan's kernels are used if they exist, and reported") {
  PlanBuilder builder = relu_plan();
  plan::Program& program = builder.tables().branches[0].programs[0];
  builder.tables().kernel_names = {"", "unary.reference"};
  for (int set = 0; set < kNumInstructionSets; ++set)
    program.selections.push_back({std::string(name(static_cast<InstructionSet>(set))), {1}, {}});
  const PlanFile file = builder.build();
  const auto session = open(file);
  REQUIRE(session->operators().size() == 1);
  CHECK(session->operators()[0].name == "relu");
  CHECK(session->operators()[0].kind == "Unary");
  CHECK(session->operators()[0].unit == "cpu");
  CHECK(session->operators()[0].kernel == "unary.reference");
}

class Recorder final : public RunObserver {
 public:
  void operator_done(uint32_t index, SteadyClock::time_point start, SteadyClock::time_point end) override {
    seen.push_back(index);
    ordered &= start <= end;
  }
  std::vector<uint32_t> seen;
  bool ordered = true;
};

TEST_CASE("warm_up() runs every operator once, and does not change later results") {
  Recorder recorder;
  const PlanFile file = branches_plan().build();
  SessionOptions options;
  options.observer = &recorder;
  auto session = Session::create(load(file), *open_units(), options);
  REQUIRE(session);
  REQUIRE((*session)->warm_up().ok());
  CHECK(recorder.seen == std::vector<uint32_t>{0, 1, 2});
  BranchesRun call(1);
  REQUIRE((*session)->run(call.inputs, call.outputs).ok());
  CHECK(call.right());
}

TEST_CASE("warm_up() obeys the deadline") {
  const PlanFile file = branches_plan().build();
  RunOptions options;
  options.deadline = SteadyClock::now();
  CHECK(open(file)->warm_up(options).code() == Code::kDeadlineExceeded);
}

TEST_CASE("The observer receives every operator in order") {
  Recorder recorder;
  const PlanFile file = branches_plan().build();
  SessionOptions options;
  options.observer = &recorder;
  auto session = Session::create(load(file), *open_units(), options);
  REQUIRE(session);
  BranchesRun call(1);
  REQUIRE((*session)->run(call.inputs, call.outputs).ok());
  CHECK(recorder.seen == std::vector<uint32_t>{0, 1, 2});
  CHECK(recorder.ordered);
}

TEST_CASE("Inputs and outputs are found by name") {
  const PlanFile file = views_plan().build();
  const auto session = open(file);
  CHECK(session->find_input("x") == 0u);
  CHECK(session->find_output("z") == 1u);
  CHECK_FALSE(session->find_output("x"));
}

}  // namespace
}  // namespace nestrt::test
