// SPDX-License-Identifier: Apache-2.0
// Tests the loads of schedules. solve_test.cpp and joins_test.cpp check that schedules run as predicted.
#include "scheduler/simulation/virtual_time.h"

#include <catch2/catch.hpp>

#include "scheduler/problem/schedule_steps.h"
#include "scheduler/search/solve.h"

namespace nestrt::test {
namespace {

using scheduler::Part;
using scheduler::Problem;

constexpr double kMbPerSecond = 10, kBytes = 1000;

Part part_of(uint32_t lane, double us, double output_share = 1) {
  Part part;
  part.lane = part.program = lane;
  part.us = us;
  part.output_share = output_share;
  return part;
}

// Returns a layer that computes a quarter of its channels on an accelerator, followed by a reader of the whole layer.
Problem layer_and_reader() {
  Problem problem;
  problem.units = {{true, {}}, {false, {0, 0, kMbPerSecond}}};
  problem.lanes = {{0}, {1}};
  scheduler::Task divided;
  Part on_npu = part_of(1, 20, 0.25), on_host = part_of(0, 30, 0.75);
  on_npu.channels = {0, 8};
  on_host.channels = {8, 32};
  divided.choices = {{{part_of(0, 40)}, 0}, {{on_npu, on_host}, 0}};
  scheduler::Task whole;
  whole.branch = 1;
  whole.inputs = {{0, kBytes}};
  whole.choices = {{{part_of(0, 5)}, 0}, {{part_of(1, 5)}, scheduler::kAnySharing}};
  problem.tasks = {divided, whole};
  return problem;
}

double transferred_us(uint32_t reader) {
  const Problem problem = layer_and_reader();
  const auto loads = loads_of(problem, to_schedule(problem, scheduler::evaluate(problem, {{0, 1}, {1, reader}})));
  REQUIRE(loads);
  CHECK(loads->transfers_us[0] == 0);  // the host does not transfer to itself
  return loads->transfers_us[1];
}

TEST_CASE("Only the other unit's slice of a split layer is transferred") {
  CHECK(transferred_us(0) == Approx(0.25 * kBytes / kMbPerSecond));
  CHECK(transferred_us(1) == Approx(0.75 * kBytes / kMbPerSecond));
}

TEST_CASE("Virtual time advances even if a step's remainder is below its precision") {
  Problem problem = layer_and_reader();
  for (const double us : {1e8, 1e9, 1e12, 1e15})
    for (const double rest : {0.1, 0.3, 0.7, 0.9}) {
      CAPTURE(us, rest);
      problem.tasks[0].choices[1].parts[1].us = us;
      problem.tasks[1].choices[0].parts[0].us = rest;
      const auto run =
          run_in_virtual_time(problem, to_schedule(problem, scheduler::evaluate(problem, {{0, 1}, {1, 0}})));
      REQUIRE(run);
      CHECK(run->makespan_us == Approx(us + rest));
    }
}

}  // namespace
}  // namespace nestrt::test
