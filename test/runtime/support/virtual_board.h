// SPDX-License-Identifier: Apache-2.0
// A chain of branches, in virtual time, on a host and an accelerator that has a program for each branch.
#pragma once

#include <catch2/catch.hpp>
#include <optional>
#include <utility>
#include <vector>

#include "nestrt/session.h"
#include "test/runtime/support/virtual_units.h"
#include "test/support/plan/flat_costs.h"
#include "test/support/plan/plan_builder.h"

namespace nestrt::test {

// Returns a plan of `branches` branches with a program for "npu" and kernels for the host; one input and one output of
// {1, 4} f32.
inline PlanFile chain_for_npu(int branches) {
  const Shape shape{1, 4};
  PlanBuilder builder;
  int before = builder.input("x", shape);
  for (int branch = 0; branch < branches; ++branch) {
    const int y = branch == branches - 1 ? builder.output("y", shape) : builder.arena("between", shape);
    builder.op("relu", unary(ops::UnaryKind::kRelu), {std::exchange(before, y)}, {y});
    builder.branch();
  }
  plan::Tables& tables = builder.tables();
  for (plan::Branch& branch : tables.branches) branch.programs.emplace_back().unit = "npu";
  plan::MemoryPlan any = tables.memory_plans[0];
  any.kind = plan::MemoryPlanKind::kAnySchedule;
  tables.memory_plans.push_back(std::move(any));
  return builder.build();
}

// A session that runs the plan of chain_for_npu(). The time of a unit is initially the given cost, if any, and later
// the value that the test sets.
class VirtualBoard {
 public:
  static constexpr int kBranches = 3;

  explicit VirtualBoard(int64_t host_us = 10, int64_t npu_us = 1, SessionOptions options = {}, bool gives_costs = true)
      : file_(chain_for_npu(kBranches)), plan_(*Plan::from_memory(file_.bytes())) {
    units_ = {std::make_shared<VirtualUnit>(UnitInfo{"cpu", "cpu", "", 1, true}, clock, host),
              std::make_shared<VirtualUnit>(UnitInfo{"npu", "npu0", "", 1, false}, clock, npu)};
    host->microseconds = host_us;
    npu->microseconds = npu_us;
    if (gives_costs)
      options.costs.table =
          flat_costs(*plan_, units_, [&](const UnitInfo& unit) { return unit.is_host ? host_us : npu_us; });
    options.clock = clock;
    auto created = Session::create(plan_, units_, options);
    if (!created) FAIL(created.error().to_string());
    session = std::move(*created);
  }

  // Runs the plan. `deadline` is relative to the start of the run.
  Status try_run(std::optional<std::chrono::microseconds> deadline = std::nullopt) {
    const ConstTensorView in[] = {tensor_view(std::span<const float>(x_), {1, 4})};
    const TensorView out[] = {tensor_view(std::span<float>(y_), {1, 4})};
    RunOptions options;
    if (deadline) options.deadline = clock->now() + *deadline;
    return session->run(in, out, options);
  }
  void run() { REQUIRE(try_run().ok()); }
  // Returns the time of a run, which must succeed.
  std::chrono::microseconds time_run(std::optional<std::chrono::microseconds> deadline = std::nullopt) {
    const SteadyClock::time_point begin = clock->now();
    const Status status = try_run(deadline);
    INFO(status.to_string());
    REQUIRE(status.ok());
    return std::chrono::duration_cast<std::chrono::microseconds>(clock->now() - begin);
  }

  const std::shared_ptr<VirtualClock> clock = std::make_shared<VirtualClock>();
  const std::shared_ptr<VirtualSpeed> host = std::make_shared<VirtualSpeed>(), npu = std::make_shared<VirtualSpeed>();
  std::unique_ptr<Session> session;

 private:
  PlanFile file_;
  std::shared_ptr<const Plan> plan_;
  UnitList units_;
  std::vector<float> x_ = std::vector<float>(4), y_ = std::vector<float>(4);
};

}  // namespace nestrt::test
