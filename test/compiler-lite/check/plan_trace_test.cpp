// SPDX-License-Identifier: Apache-2.0
#include "compiler-lite/check/plan_trace.h"

#include <catch2/catch.hpp>
#include <cstring>

#include "nestrt/driver/plan_tables.h"
#include "test/support/plan/sample_plans.h"

namespace nestrt::compiler {
namespace {

tools::Array array(const Shape& shape, const std::vector<float>& elements) {
  const auto bytes = std::as_bytes(std::span(elements));
  return {DataType::kF32, shape, std::vector<std::byte>(bytes.begin(), bytes.end())};
}

std::vector<float> tensor(const Plan& plan, const PlanTrace& trace, std::string_view name) {
  for (uint32_t i = 0; i < plan.tables().tensors.size(); ++i) {
    if (plan.tables().tensors[i].name != name) continue;
    const tools::Array found = trace.tensor(i);
    std::vector<float> elements(static_cast<size_t>(found.shape.num_elements()));
    std::memcpy(elements.data(), found.bytes.data(), found.bytes.size());
    return elements;
  }
  FAIL("the plan has no tensor " << name);
  return {};
}

}  // namespace

TEST_CASE("A trace keeps every value of a plan, including those of other branches") {
  const auto bytes = test::branches_plan().build();
  const auto plan = *Plan::from_memory(bytes.bytes());
  auto trace = PlanTrace::create(plan);
  REQUIRE(trace);
  REQUIRE(trace->run({array({2, 8}, {-1, 1, -2, 2, -3, 3, -4, 4, 1, 1, 1, 1, 1, 1, 1, 1})}).ok());
  CHECK(tensor(*plan, *trace, "left") == std::vector<float>{0, 1, 0, 2, 0, 3, 0, 4, 1, 1, 1, 1, 1, 1, 1, 1});
  CHECK(tensor(*plan, *trace, "right") == std::vector<float>{-1, 2, -6, 8, -15, 18, -28, 32, 1, 2, 3, 4, 5, 6, 7, 8});
  CHECK(tensor(*plan, *trace, "y") == std::vector<float>{-1, 3, -6, 10, -15, 21, -28, 36, 2, 3, 4, 5, 6, 7, 8, 9});
}

TEST_CASE("A trace reads tensors that are views of other tensors") {
  const auto bytes = test::views_plan().build();
  const auto plan = *Plan::from_memory(bytes.bytes());
  auto trace = PlanTrace::create(plan);
  REQUIRE(trace);
  REQUIRE(trace->run({array({1, 4}, {-1, 2, -3, 4})}).ok());
  CHECK(tensor(*plan, *trace, "whole") == std::vector<float>{0, 2, 0, 4, 1, -2, 3, -4});
  CHECK(tensor(*plan, *trace, "tail") == std::vector<float>{-2, 3, -4});
}

TEST_CASE("A trace contains the values between row-fused operators") {
  const auto bytes = test::inverted_residual_plan().build();
  const auto plan = *Plan::from_memory(bytes.bytes());
  auto trace = PlanTrace::create(plan);
  REQUIRE(trace);
  const Shape shape = plan->inputs()[0].shape;
  REQUIRE(trace->run({array(shape, std::vector<float>(static_cast<size_t>(shape.num_elements()), 1))}).ok());
  const std::vector<float> weights = tensor(*plan, *trace, "first"), expanded = tensor(*plan, *trace, "expanded");
  const auto channels = static_cast<size_t>(shape[1]), pixels = static_cast<size_t>(shape[2] * shape[3]);
  for (size_t output = 0; output < weights.size() / channels; ++output) {
    float sum = 0;
    for (size_t i = 0; i < channels; ++i) sum += weights[output * channels + i];
    CHECK(expanded[output * pixels] == sum);
    CHECK(expanded[(output + 1) * pixels - 1] == sum);
  }
}

TEST_CASE("A trace rejects an input with a different type or shape") {
  const auto bytes = test::relu_plan().build();
  auto trace = PlanTrace::create(*Plan::from_memory(bytes.bytes()));
  REQUIRE(trace);
  const Status status = trace->run({array({3, 2}, std::vector<float>(6))});
  CHECK(status.code() == Code::kInvalidArgument);
  CHECK(status.message().find("expected f32 2x3, got f32 3x2") != std::string_view::npos);
}

}  // namespace nestrt::compiler
