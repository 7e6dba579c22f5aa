// SPDX-License-Identifier: Apache-2.0
#include "test/drivers/conformance/tested_plan.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <random>

#include "nestrt/open_units.h"

namespace nestrt::test {

TestedPlan::TestedPlan(const PlanFile& file) : file_(file) {
  auto plan = Plan::from_memory(file_.bytes());
  if (!plan) FAIL(plan.error().to_string());
  plan_ = std::move(*plan);
  const auto host = open_units("cpu", {.num_threads = 1});
  if (!host) FAIL(host.error().to_string());
  reference_ = open(*host);
}

std::unique_ptr<Session> TestedPlan::open(const UnitList& units, SessionOptions options) const {
  options.costs.measure = Measuring::kNever;
  auto session = Session::create(plan_, units, options);
  if (!session) FAIL(session.error().to_string());
  return std::move(*session);
}

Status TestedPlan::run(Session& session, uint32_t seed, const RunOptions& options, std::vector<std::byte>& y) const {
  const TensorInfo &in = plan_->inputs()[0], &out = plan_->outputs()[0];
  std::mt19937 random(seed);
  std::vector<std::byte> x(in.size_bytes());
  for (std::byte& byte : x) byte = static_cast<std::byte>(random());
  y.assign(out.size_bytes(), std::byte{0x55});
  const ConstTensorView input{in.type, in.shape, x.data()};
  const TensorView output{out.type, out.shape, y.data()};
  return session.run({&input, 1}, {&output, 1}, options);
}

Status TestedPlan::run(Session& session, uint32_t seed, const RunOptions& options) const {
  std::vector<std::byte> y;
  return run(session, seed, options, y);
}

bool TestedPlan::is_right(Session& session, uint32_t seed) const {
  std::vector<std::byte> y, expected;
  return run(*reference_, seed, {}, expected).ok() && run(session, seed, {}, y).ok() && y == expected;
}

int count_operators_on(const Session& session, std::string_view unit) {
  const auto operators = session.operators();
  return static_cast<int>(
      std::ranges::count_if(operators, [&](const OperatorSummary& summary) { return summary.unit == unit; }));
}

}  // namespace nestrt::test
