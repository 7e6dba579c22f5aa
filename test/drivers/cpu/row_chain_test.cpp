// SPDX-License-Identifier: Apache-2.0
// Tests which operators of a plan are row-fused (kernels/common/framework/row_fusion.h), and their results.
#include <algorithm>
#include <catch2/catch.hpp>
#include <vector>

#include "nestrt/driver/unit.h"
#include "nestrt/open_units.h"
#include "nestrt/session.h"
#include "test/support/plan/sample_plans.h"

namespace nestrt::test {
namespace {

class Ignores final : public RunObserver {
  void operator_done(uint32_t, Time, Time) override {}
};

struct Ran {
  std::vector<std::string> is_row_fused;
  std::vector<float> y;
};

Ran run(const PlanFile& file, RunObserver* observer) {
  const auto plan = Plan::from_memory(file.bytes());
  const auto units = open_units("cpu", {.num_threads = 2});
  if (!plan) FAIL(plan.error().to_string());
  REQUIRE(units);
  SessionOptions options;
  options.costs.keep = false;
  options.observer = observer;
  const auto session = Session::create(*plan, *units, options);
  if (!session) FAIL(session.error().to_string());
  Ran ran;
  for (const OperatorSummary& op : (*session)->operators())
    if (op.is_row_fused) ran.is_row_fused.emplace_back(op.name);
  std::vector<float> x(static_cast<size_t>((*plan)->inputs()[0].shape.num_elements()));
  for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i % 37) - 18;
  const std::vector<ConstTensorView> inputs = {tensor_view(std::span(x), (*plan)->inputs()[0].shape)};
  std::vector<std::vector<float>> results;
  std::vector<TensorView> outputs;
  for (const TensorInfo& info : (*plan)->outputs()) {
    std::vector<float>& values = results.emplace_back(static_cast<size_t>(info.shape.num_elements()));
    outputs.push_back(tensor_view(std::span(values), info.shape));
  }
  const Status status = (*session)->run(inputs, outputs);
  if (!status.ok()) FAIL(status.to_string());
  ran.y = results[0];
  return ran;
}

TEST_CASE("Convolutions whose results only the next convolution reads are row-fused with bit-identical results") {
  const PlanFile file = inverted_residual_plan().build();
  Ignores observer;
  const Ran is_row_fused = run(file, nullptr), alone = run(file, &observer);
  CHECK(is_row_fused.is_row_fused == std::vector<std::string>{"expand", "filter"});
  CHECK(std::ranges::any_of(is_row_fused.y, [](float value) { return value != 0; }));
  CHECK(is_row_fused.y == alone.y);
}

TEST_CASE("A result with several readers is not row-fused") {
  PlanBuilder builder = inverted_residual_plan();
  constexpr int kExpanded = 2;
  builder.op("another", ops::Reorder{}, {kExpanded}, {builder.output("z", {1, 32, 96, 96})});
  const Ran ran = run(builder.build(), nullptr);
  CHECK(ran.is_row_fused == std::vector<std::string>{"filter"});
}

}  // namespace
}  // namespace nestrt::test
