// SPDX-License-Identifier: Apache-2.0
// A small board with fault injection, and random networks to run on it.
#pragma once

#include <algorithm>
#include <catch2/catch.hpp>
#include <memory>
#include <random>
#include <vector>

#include "drivers/evta/driver/evta_unit.h"
#include "drivers/evta/simulator/simulator_transport.h"
#include "nestrt/open_units.h"
#include "nestrt/session.h"
#include "test/support/plan/copy_plan.h"
#include "test/support/process/quiet.h"

namespace nestrt::test {

inline constexpr int kBranches = 10;
// The CPU and two simulated EVTA with fault injection.
struct Board {
  Board() {
    units = *open_units("cpu", {.num_threads = 2});
    for (int instance = 0; instance < 2; ++instance) {
      evta::EvtaOptions options;
      options.instance = instance;
      faults.push_back(std::make_shared<evta::FaultInjector>(std::chrono::milliseconds(1)));
      units.push_back(*evta::open_evta_unit(options, evta::make_simulator_transport({.faults = faults.back()})));
    }
  }
  UnitList units;
  std::vector<std::shared_ptr<evta::FaultInjector>> faults;
};

// A random network, and the CPU's output for an input.
class Network {
 public:
  explicit Network(uint32_t seed)
      : file_(evta::test::random_network(evta::kConfigurations[0], kBranches, seed).build()) {
    auto loaded = Plan::from_memory(file_.bytes());
    if (!loaded) FAIL(loaded.error().to_string());
    plan = *loaded;
    std::mt19937 random(seed);
    for (int32_t& value : x_) value = static_cast<int32_t>(random());
    auto session = Session::create(plan, *open_units("cpu", {.num_threads = 1}));
    REQUIRE(session);
    REQUIRE(run(**session).ok());
    expected_ = y_;
  }

  Status run(Session& session, const RunOptions& options = {}) {
    clear();
    const auto in = input();
    const auto out = output();
    return session.run({&in, 1}, {&out, 1}, options);
  }
  ConstTensorView input() const { return {DataType::kS32, plan->inputs()[0].shape, x_.data()}; }
  TensorView output() { return {DataType::kS32, plan->inputs()[0].shape, y_.data()}; }
  void clear() { std::fill(y_.begin(), y_.end(), int32_t{99}); }
  bool is_right() const { return is_expected(y_); }
  bool is_expected(const std::vector<int32_t>& y) const { return y == expected_; }

  std::shared_ptr<const Plan> plan;

 private:
  PlanFile file_;
  std::vector<int32_t> x_ = std::vector<int32_t>(16), y_ = std::vector<int32_t>(16), expected_;
};

}  // namespace nestrt::test
