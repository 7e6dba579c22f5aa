// Which operators of a plan are computed in turns of some rows (kernels/common/row_chain.h), and what becomes of it.
#include <algorithm>
#include <catch2/catch.hpp>
#include <random>
#include <vector>

#include "nestrt/open_units.h"
#include "nestrt/session.h"
#include "test/support/sample_plans.h"

namespace nestrt::test {
namespace {

constexpr int kChannels = 16, kWide = 32, kSize = 96;  // wide: more than 1 MB

class Ignores final : public RunObserver {
  void operator_done(uint32_t, Time, Time) override {}
};

ops::Conv conv_of(int kernel, int group) {
  ops::Conv conv;
  conv.kernel = {kernel, kernel};
  conv.stride = conv.dilation = {1, 1};
  conv.pad_begin = conv.pad_end = {kernel / 2, kernel / 2};
  conv.group = group;
  return conv;
}

std::vector<float> random_values(int64_t count) {
  std::mt19937 generator(static_cast<uint32_t>(count));
  std::uniform_real_distribution<float> uniform(-1, 1);
  std::vector<float> values(static_cast<size_t>(count));
  for (float& value : values) value = uniform(generator);
  return values;
}

// A picture through a pointwise, a depthwise and another pointwise convolution. `extra`: changes the plan.
template <typename Extra>
PlanFile three_convolutions(Extra extra) {
  PlanBuilder builder;
  const Shape small{1, kChannels, kSize, kSize}, wide{1, kWide, kSize, kSize};
  const int x = builder.input("x", small);
  const int blocked = builder.blocked("blocked", small), expanded = builder.blocked("expanded", wide);
  const int filtered = builder.blocked("filtered", wide), projected = builder.blocked("projected", small);
  const int y = builder.output("y", small);
  const int one = builder.constant<float>("one", {kWide, kChannels, 1, 1}, random_values(kWide * kChannels));
  const int two = builder.constant<float>("two", {kWide, 1, 3, 3}, random_values(kWide * 9));
  const int three = builder.constant<float>("three", {kChannels, kWide, 1, 1}, random_values(kChannels * kWide));
  builder.op("block", ops::Reorder{}, {x}, {blocked});
  builder.op("expand", conv_of(1, 1), {blocked, one}, {expanded});
  builder.op("filter", conv_of(3, kWide), {expanded, two}, {filtered});
  builder.op("project", conv_of(1, 1), {filtered, three}, {projected});
  builder.op("plain", ops::Reorder{}, {projected}, {y});
  extra(builder, expanded);
  return builder.build();
}

struct Ran {
  std::vector<std::string> in_turns;
  std::vector<float> y;
};

Ran run(const PlanFile& file, RunObserver* observer) {
  const auto plan = Plan::from_memory(file.bytes());
  const auto units = open_units("cpu", {.num_threads = 2});
  if (!plan) FAIL(plan.error().to_string());
  REQUIRE(units);
  SessionOptions options;
  options.keep_costs = false;
  options.observer = observer;
  const auto session = Session::create(*plan, *units, options);
  if (!session) FAIL(session.error().to_string());
  Ran ran;
  for (const OperatorSummary& op : (*session)->operators())
    if (op.in_turns) ran.in_turns.emplace_back(op.name);
  const std::vector<float> x = random_values((*plan)->inputs()[0].shape.num_elements());
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

TEST_CASE("Convolutions whose results only the next one reads are computed in turns, with the same bits") {
  const PlanFile file = three_convolutions([](PlanBuilder&, int) {});
  Ignores observer;
  const Ran in_turns = run(file, nullptr), alone = run(file, &observer);
  CHECK(in_turns.in_turns == std::vector<std::string>{"expand", "filter"});
  CHECK(std::ranges::any_of(in_turns.y, [](float value) { return value != 0; }));
  CHECK(in_turns.y == alone.y);
}

TEST_CASE("What somebody else reads, too, is computed whole") {
  const auto read_twice = [](PlanBuilder& builder, int expanded) {
    const int z = builder.output("z", {1, kWide, kSize, kSize});
    builder.op("another", ops::Reorder{}, {expanded}, {z});
  };
  const Ran ran = run(three_convolutions(read_twice), nullptr);
  CHECK(ran.in_turns == std::vector<std::string>{"filter"});
}

}  // namespace
}  // namespace nestrt::test
