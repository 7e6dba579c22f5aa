// Random schedules that are right, for the plans of random_network.h and the units of its Board.
#pragma once

#include <algorithm>
#include <random>
#include <utility>
#include <vector>

#include "nestrt/schedule.h"
#include "runtime/plan/dependencies.h"
#include "runtime/plan/tables.h"

namespace nestrt::test {

// The branches in a random order that respects the graph, each on a random lane: one of the first `cpu_lanes`, which
// are the CPU's, or of the others, which are EVTA's. Some steps have all of the CPU's threads.
inline Schedule random_schedule(const Plan& plan, std::vector<Lane> lanes, uint32_t cpu_lanes, std::mt19937& random) {
  const auto dependencies = branch_dependencies(plan.tables());
  Schedule schedule;
  schedule.lanes = std::move(lanes);
  std::vector<uint32_t> step_of(dependencies.size(), UINT32_MAX);
  while (schedule.steps.size() < dependencies.size()) {
    const auto branch = static_cast<uint32_t>(random() % dependencies.size());
    const auto is_done = [&](uint32_t before) { return step_of[before] != UINT32_MAX; };
    const auto& before = dependencies[branch];
    if (is_done(branch) || !std::all_of(before.begin(), before.end(), is_done)) continue;
    const uint32_t programs = items(items(plan.tables().branches())[branch]->programs()).size();
    Step step;
    step.branch = branch;
    step.lane = static_cast<uint32_t>(random() % (programs == 1 ? cpu_lanes : schedule.lanes.size()));
    step.program = step.lane < cpu_lanes ? 0 : 1;
    const bool has_all_threads = step.lane == 0 && random() % 4 == 0;
    step.threads = step.lane < cpu_lanes && !has_all_threads ? 1 : 0;
    for (uint32_t dependency : before)
      if (schedule.steps[step_of[dependency]].lane != step.lane) step.waits.push_back(step_of[dependency]);
    step_of[branch] = static_cast<uint32_t>(schedule.steps.size());
    schedule.steps.push_back(std::move(step));
  }
  return schedule;
}

// A lane for each of two threads of the CPU and for each EVTA.
inline Schedule random_schedule(const Plan& plan, std::mt19937& random) {
  return random_schedule(plan, {{0}, {0}, {1}, {2}}, 2, random);
}

// One to four lanes: one or two of the CPU, and some of the EVTA.
inline Schedule any_random_schedule(const Plan& plan, std::mt19937& random) {
  const uint32_t cpu_lanes = 1 + static_cast<uint32_t>(random() % 2);
  std::vector<Lane> lanes(cpu_lanes, Lane{0});
  for (uint32_t evta = 1; evta <= 2; ++evta)
    if (random() % 3 != 0) lanes.push_back({evta});
  return random_schedule(plan, std::move(lanes), cpu_lanes, random);
}

}  // namespace nestrt::test
