// SPDX-License-Identifier: Apache-2.0
// Tests a plan with several shapes: the inputs of a run select the shape.
#include <catch2/catch.hpp>
#include <vector>

#include "nestrt/driver/unit.h"
#include "nestrt/open_units.h"
#include "nestrt/pipeline.h"
#include "nestrt/session.h"
#include "test/support/plan/relu_of.h"

namespace nestrt::test {
namespace {

PlanFile three_shapes() {
  PlanBuilder builder = relu_of({1, 4});
  builder.tables().shapes = {relu_of({2, 4}).tables(), relu_of({1, 9}).tables()};
  return builder.build();
}

struct Call {
  explicit Call(const Shape& shape) : shape(shape), x(static_cast<size_t>(shape.num_elements()), -1.0F), y(x.size()) {
    x.back() = 2;
  }
  ConstTensorView input() const { return {DataType::kF32, shape, x.data()}; }
  TensorView output() { return {DataType::kF32, shape, y.data()}; }
  bool is_right() const {
    std::vector<float> expected(x.size());
    expected.back() = 2;
    return y == expected;
  }

  Shape shape;
  std::vector<float> x, y;
};

const Shape kShapes[] = {{1, 4}, {2, 4}, {1, 9}};

TEST_CASE("A session selects the shape of its inputs, in any order") {
  const PlanFile file = three_shapes();
  const auto plan = *Plan::from_memory(file.bytes());
  REQUIRE(plan->shapes().size() == 3);
  for (uint32_t index = 0; index < 3; ++index) {
    CHECK(plan->shapes()[index]->inputs()[0].shape == kShapes[index]);
    CHECK(plan->shapes()[index]->shape_index() == index);
  }
  const auto session = *Session::create(plan, *open_units("cpu", {.num_threads = 1}));
  CHECK(session->inputs()[0].shape == kShapes[0]);
  for (const size_t index : {2, 0, 1, 1, 2}) {
    Call call(kShapes[index]);
    const ConstTensorView in = call.input();
    const TensorView out = call.output();
    CHECK(session->run({&in, 1}, {&out, 1}).ok());
    CHECK(call.is_right());
  }
}

TEST_CASE("warm_up() runs every shape") {
  class Counter final : public RunObserver {
   public:
    void operator_done(uint32_t, SteadyClock::time_point, SteadyClock::time_point) override { ++operators; }
    int operators = 0;
  } counter;
  const PlanFile file = three_shapes();
  SessionOptions options;
  options.observer = &counter;
  const auto session =
      *Session::create(*Plan::from_memory(file.bytes()), *open_units("cpu", {.num_threads = 1}), options);
  REQUIRE(session->warm_up().ok());
  CHECK(counter.operators == 3);
}

TEST_CASE("Inputs that match no shape are rejected with the available shapes") {
  const PlanFile file = three_shapes();
  const auto session = *Session::create(*Plan::from_memory(file.bytes()), *open_units("cpu", {.num_threads = 1}));
  Call call({3, 4});
  const ConstTensorView in = call.input();
  const TensorView out = call.output();
  const Status status = session->run({&in, 1}, {&out, 1});
  CHECK(status.code() == Code::kInvalidArgument);
  CHECK(status.message() == "inputs have shape 3x4; the plan was compiled for 1x4, 2x4, 1x9");
  CHECK(session->run({}, {&out, 1}).code() == Code::kInvalidArgument);
}

TEST_CASE("An output whose shape does not match the inputs is rejected") {
  const PlanFile file = three_shapes();
  const auto session = *Session::create(*Plan::from_memory(file.bytes()), *open_units("cpu", {.num_threads = 1}));
  Call call(kShapes[1]), other(kShapes[2]);
  const ConstTensorView in = call.input();
  const TensorView out = other.output();
  CHECK(session->run({&in, 1}, {&out, 1}).code() == Code::kInvalidArgument);
}

TEST_CASE("A shape of a plan is a plan that may outlive the original plan") {
  const PlanFile file = three_shapes();
  std::shared_ptr<const Plan> shape = (*Plan::from_memory(file.bytes()))->shapes()[1];
  CHECK(shape->shapes().empty());
  const auto session = *Session::create(shape, *open_units("cpu", {.num_threads = 1}));
  Call call(kShapes[1]);
  const ConstTensorView in = call.input();
  const TensorView out = call.output();
  CHECK(session->run({&in, 1}, {&out, 1}).ok());
  CHECK(call.is_right());
}

TEST_CASE("One pipeline runs inferences of several shapes") {
  const PlanFile file = three_shapes();
  const auto plan = *Plan::from_memory(file.bytes());
  const auto pipeline = *Pipeline::create(plan, *open_units("cpu", {.num_threads = 1}), {.in_flight = 2});
  std::vector<Call> calls;
  for (int i = 0; i < 12; ++i) calls.emplace_back(kShapes[i % 3]);
  size_t returned = 0;
  const auto next = [&] {
    CHECK(pipeline->next().ok());
    CHECK(calls[returned++].is_right());
  };
  for (size_t i = 0; i < calls.size(); ++i) {
    const ConstTensorView in = calls[i].input();
    const TensorView out = calls[i].output();
    pipeline->submit({&in, 1}, {&out, 1});
    if (i >= 3) next();
  }
  while (returned < calls.size()) next();
  Call wrong({5, 5});
  const ConstTensorView in = wrong.input();
  const TensorView out = wrong.output();
  pipeline->submit({&in, 1}, {&out, 1});
  CHECK(pipeline->next().code() == Code::kInvalidArgument);
}

}  // namespace
}  // namespace nestrt::test
