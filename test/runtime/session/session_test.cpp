#include "nestrt/session.h"

#include <catch2/catch.hpp>

#include "test/support/sample_plans.h"

namespace nestrt::test {
namespace {

std::shared_ptr<const Plan> load(const PlanBytes& file) {
  auto plan = Plan::from_memory(file.bytes(), Verification::kComplete);
  if (!plan) FAIL(plan.error().to_string());
  return *plan;
}

std::unique_ptr<Session> open(const PlanBytes& file, int num_threads = 1) {
  UnitOptions options;
  options.num_threads = num_threads;
  auto units = open_units("cpu", options);
  REQUIRE(units);
  auto session = Session::create(load(file), *units);
  if (!session) FAIL(session.error().to_string());
  return std::move(*session);
}

TEST_CASE("A session runs an operator on the caller's memory") {
  const PlanBytes file = relu_plan().build();
  const auto session = open(file);
  const std::vector<float> x = {-1, 2, -3, 4, -5, 6};
  std::vector<float> y(6, 9);
  const ConstTensorView inputs[] = {tensor_view(x, {2, 3})};
  const TensorView outputs[] = {tensor_view(std::span<float>(y), {2, 3})};
  REQUIRE(session->run(inputs, outputs).ok());
  CHECK(y == std::vector<float>{0, 2, 0, 4, 0, 6});
}

TEST_CASE("Branches run one after the other over arena and constants") {
  const PlanBytes file = branches_plan().build();
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
  const PlanBytes file = views_plan().build();
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

}  // namespace
}  // namespace nestrt::test
