// SPDX-License-Identifier: Apache-2.0
// Random valid schedules.
#pragma once

#include <algorithm>
#include <random>
#include <utility>
#include <vector>

#include "nestrt/driver/schedule.h"
#include "runtime/plan/queries/channel_order.h"
#include "runtime/plan/queries/channels.h"
#include "runtime/plan/queries/dependencies.h"

namespace nestrt::test {

// A schedule of branches in a random order that respects the graph, each with one of its programs, on a random lane.
// Steps wait only for the steps whose results they read.
class RandomSchedule {
 public:
  // Draws a schedule. The first `cpu_lanes` lanes belong to the CPU. CPU steps use `threads` threads; some steps on
  // lane 0 use all of the CPU's threads instead.
  RandomSchedule(const plan::Tables& plan, std::vector<Lane> lanes, uint32_t cpu_lanes, int threads,
                 std::mt19937& random)
      : plan_(plan),
        cpu_lanes_(cpu_lanes),
        threads_(threads),
        random_(random),
        dependencies_(branch_dependencies(plan)),
        by_channel_(channel_predecessors(plan)),
        steps_of_(dependencies_.size()) {
    schedule_.lanes = std::move(lanes);
  }

  Schedule make() && {
    for (size_t left = dependencies_.size(); left > 0; --left) add(random_branch());
    return std::move(schedule_);
  }

 private:
  uint32_t random_below(size_t count) { return static_cast<uint32_t>(random_() % count); }

  // Returns a branch that may be scheduled next.
  uint32_t random_branch() {
    const auto is_done = [&](uint32_t branch) { return !steps_of_[branch].empty(); };
    while (true) {
      const uint32_t branch = random_below(dependencies_.size());
      const auto& before = dependencies_[branch];
      if (!is_done(branch) && std::all_of(before.begin(), before.end(), is_done)) return branch;
    }
  }

  // Schedules a branch as one step or in parts. Program 0 is the CPU's.
  void add(uint32_t branch) {
    const plan::Branch& entry = plan_.branches[branch];
    const uint32_t program = other_lanes() == 0 ? 0 : random_below(entry.programs.size());
    if (!entry.programs[program].channels.all()) return add_parts(branch);
    add(branch, program, program == 0 ? random_below(cpu_lanes_) : random_other_lane(), {});
  }

  // Adds one part after the other. Each part is a partial program that begins where the previous part ends, on any lane
  // that can run it, or CPU work up to the beginning of the next program or the end.
  void add_parts(uint32_t branch) {
    const plan::Branch& entry = plan_.branches[branch];
    const uint32_t channels = divisible_channels(plan_, entry);
    ChannelRange done;
    while (done.end < channels) {
      std::vector<uint32_t> programs;
      std::vector<ChannelRange> on_cpu{{done.end, channels, done.end_row, 0}};
      for (uint32_t program = 0; program < entry.programs.size(); ++program) {
        const ChannelRange& part = entry.programs[program].channels;
        const ChannelRange before{done.end, part.begin, done.end_row, part.begin_row};
        if (part.all()) continue;
        if (part.begin == done.end && part.begin_row == done.end_row) programs.push_back(program);
        if (std::pair(before.begin, before.begin_row) < std::pair(before.end, before.end_row)) on_cpu.push_back(before);
      }
      add_cut_before(branch, done, on_cpu);
      const bool by_program = !programs.empty() && random_below(3) != 0;
      const uint32_t program = by_program ? programs[random_below(programs.size())] : 0;
      done = by_program ? entry.programs[program].channels : on_cpu[random_below(on_cpu.size())];
      add(branch, program, by_program ? random_other_lane() : random_below(cpu_lanes_), done);
    }
  }

  // Splits a branch that reads channel by channel where its input is split.
  void add_cut_before(uint32_t branch, ChannelRange done, std::vector<ChannelRange>& parts) {
    if (by_channel_[branch] == kNoBranch) return;
    for (const uint32_t step : steps_of_[by_channel_[branch]]) {
      const ChannelRange& cut = schedule_.steps[step].channels;
      if (cut.begin > done.last()) parts.push_back({done.end, cut.begin, done.end_row, 0});
    }
  }

  uint32_t other_lanes() const { return static_cast<uint32_t>(schedule_.lanes.size()) - cpu_lanes_; }
  uint32_t random_other_lane() { return cpu_lanes_ + random_below(other_lanes()); }

  void add(uint32_t branch, uint32_t program, uint32_t lane, ChannelRange channels) {
    Step step;
    step.branch = branch;
    step.program = program;
    step.lane = lane;
    step.channels = channels;
    const bool has_all_threads = lane == 0 && random_below(4) == 0;
    step.threads = lane < cpu_lanes_ && !has_all_threads ? threads_ : 0;
    for (uint32_t before : dependencies_[branch])
      for (uint32_t other : steps_of_[before])
        if (schedule_.steps[other].lane != lane && is_read(step, before, schedule_.steps[other].channels))
          step.waits.push_back(other);
    steps_of_[branch].push_back(static_cast<uint32_t>(schedule_.steps.size()));
    schedule_.steps.push_back(std::move(step));
  }

  bool is_read(const Step& step, uint32_t before, ChannelRange written) const {
    return by_channel_[step.branch] != before || step.channels.has_channels_of(written);
  }

  const plan::Tables& plan_;
  const uint32_t cpu_lanes_;
  const int threads_;
  std::mt19937& random_;
  const std::vector<std::vector<uint32_t>> dependencies_;
  const std::vector<uint32_t> by_channel_;
  std::vector<std::vector<uint32_t>> steps_of_;  // the steps of each branch
  Schedule schedule_;
};

// Returns a schedule for the Board of random_network.h with a lane for each of two CPU threads and each EVTA.
inline Schedule random_schedule(const Plan& plan, std::mt19937& random) {
  return RandomSchedule(plan.tables(), {{0}, {0}, {1}, {2}}, 2, 1, random).make();
}

// Returns a schedule for the same board with one or two lanes of the CPU, and up to two of EVTA.
inline Schedule any_random_schedule(const Plan& plan, std::mt19937& random) {
  const uint32_t cpu_lanes = 1 + static_cast<uint32_t>(random() % 2);
  std::vector<Lane> lanes(cpu_lanes, Lane{0});
  for (uint32_t evta = 1; evta <= 2; ++evta)
    if (random() % 3 != 0) lanes.push_back({evta});
  return RandomSchedule(plan.tables(), std::move(lanes), cpu_lanes, 1, random).make();
}

}  // namespace nestrt::test
