// SPDX-License-Identifier: Apache-2.0
// Tests the runtime without the other parts of libnestrt: an operator table with one operator, a unit defined here, and
// no scheduler.
#include <algorithm>
#include <catch2/catch.hpp>

#include "nestrt/driver/costs.h"
#include "nestrt/driver/schedule.h"
#include "nestrt/driver/unit.h"
#include "nestrt/session.h"
#include "runtime/core/host.h"
#include "runtime/core/services.h"
#include "runtime/kernel/kernel.h"
#include "test/support/plan/plan_builder.h"

namespace nestrt {
namespace {

Result<std::vector<TensorSpec>> infer(const OperatorSpec& spec) {
  if (spec.inputs.size() != 1) return Status(Code::kInvalidModel, "requires exactly one input");
  TensorSpec y;
  y.type = spec.inputs[0].type;
  y.shape = spec.inputs[0].shape;
  return std::vector{y};
}
uint64_t no_macs(const OperatorSpec&) { return 0; }
int64_t steps(const OperatorSpec& spec) { return spec.outputs[0].shape.num_elements(); }

const OperatorRules kRelu{ops::Kind::kUnary, infer, no_macs, steps, kIndivisible, std::span<const KernelVariant>()};

// Computes max(x, 0) of floats, operator by operator.
class ReluProgram final : public Executable {
 public:
  explicit ReluProgram(const BranchSpec& branch) : branch_(branch) {}
  size_t scratch_bytes() const override { return 0; }
  void submit(const Submission& submission) override {
    const plan::Tables& tables = branch_.plan->tables();
    for (uint32_t index : tables.branches[branch_.branch].operators) {
      const plan::Operator& op = tables.operators[index];
      const auto place = [&](int32_t tensor) {
        const plan::Tensor& of = tables.tensors[static_cast<uint32_t>(tensor)];
        return reinterpret_cast<float*>(submission.bindings.buffers[of.buffer] + of.offset);
      };
      const int64_t elements = tables.tensors[static_cast<uint32_t>(op.outputs[0])].shape.num_elements();
      std::transform(place(op.inputs[0]), place(op.inputs[0]) + elements, place(op.outputs[0]),
                     [](float x) { return std::max(x, 0.0f); });
    }
    submission.completion->signal(submission.generation);
  }

 private:
  const BranchSpec branch_;
};

class ReluHost final : public Unit, public Host {
 public:
  const UnitInfo& info() const override { return info_; }
  Result<std::unique_ptr<Executable>> prepare(const BranchSpec& branch) override {
    return std::unique_ptr<Executable>(std::make_unique<ReluProgram>(branch));
  }
  Host* host() override { return this; }
  bool run_lanes(int, FunctionRef<void(int)>) override { return false; }
  ParallelRunner& threads() override { return runner_; }

 private:
  const UnitInfo info_{"mine", "mine0", "", 1, true};
  InlineRunner runner_;
};

test::PlanBuilder two_branches() {
  test::PlanBuilder builder;
  const Shape shape{2, 3};
  const int x = builder.input("x", shape), between = builder.arena("between", shape), y = builder.output("y", shape);
  builder.op("first", test::unary(ops::UnaryKind::kRelu), {x}, {between});
  builder.branch();
  builder.op("second", test::unary(ops::UnaryKind::kRelu), {between}, {y});
  builder.branch();
  for (plan::Branch& branch : builder.tables().branches) branch.programs[0].unit = "mine";
  return builder;
}

struct Network {
  test::PlanFile file = two_branches().build();
  std::shared_ptr<const Plan> plan = *Plan::from_memory(file.bytes());
  UnitList units = {std::make_shared<ReluHost>()};
};

TEST_CASE("A session runs on a unit unknown to the runtime") {
  const Network network;
  auto session = Session::create(network.plan, network.units);
  if (!session) FAIL(session.error().to_string());
  const std::vector<float> x = {-1, 2, -3, 4, 0, -6};
  std::vector<float> y(6, 9);
  const ConstTensorView inputs[] = {tensor_view(std::span<const float>(x), {2, 3})};
  const TensorView outputs[] = {tensor_view(std::span<float>(y), {2, 3})};
  REQUIRE((*session)->run(inputs, outputs).ok());
  CHECK(y == std::vector<float>{0, 2, 0, 4, 0, 0});
}

TEST_CASE("Without a scheduler only the plan's order is available") {
  const Network network;
  const UnitInfo units[] = {network.units[0]->info()};
  CHECK(make_schedule(*network.plan, units, {}, {.method = ScheduleMethod::kOptimum}).error().code() ==
        Code::kUnsupported);
  const auto schedule = make_schedule(*network.plan, units, {}, {.method = ScheduleMethod::kFileOrder});
  REQUIRE(schedule);
  CHECK(schedule->steps.size() == 2);
}

}  // namespace

const Services& services() {
  static const OperatorRules* const kRows[] = {&kRelu};
  static const OperatorTable kOperators(kRows);
  static const Services kServices{kOperators, nullptr};
  return kServices;
}

}  // namespace nestrt
