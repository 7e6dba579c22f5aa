// SPDX-License-Identifier: Apache-2.0
// Problem: tasks to place on lanes with the lowest makespan.
//
// A lane runs one step at a time. An accelerator has one lane. The host has as many lanes as its cores may be divided
// into. A task has several choices: it runs as a whole on one lane, or is split into parts that run on several lanes or
// sequentially on one lane. A part starts when its lane is free and all its inputs have arrived. If it reads a task
// channel by channel, it needs only its own channels of that task.
// The division of the host's cores is fixed between two separators of the graph (scheduler/problem/joins.h). A barrier
// uses all cores. Times are in microseconds.
#pragma once

#include <cstdint>
#include <vector>

#include "nestrt/driver/costs.h"
#include "nestrt/driver/schedule.h"
#include "scheduler/problem/regions.h"

namespace nestrt::scheduler {

struct ProblemUnit {
  bool is_host = false;
  UnitOverhead overhead;
  double awake_us = 0;  // time before the end of each part during which a host thread polls for it
};

struct Part {
  uint32_t lane = 0;
  double us = 0;            // time if nothing else runs
  double bytes = 0;         // transferred from and to memory
  double host_us = 0;       // time at the end of the part during which a host core works for the accelerator
  double output_share = 1;  // fraction of the task's output
  double unit_share = 1;    // fraction of its unit; less than 1 if the host's cores are divided
  uint32_t program = 0;     // index into Branch.programs
  ChannelRange channels;
  int threads = 0;  // number of host threads; 0: all
};

// Marks a choice that permits any division of the host's cores. Other values index Problem::sharings; index 0 assigns
// all cores to lane 0.
constexpr uint32_t kAnySharing = UINT32_MAX;

constexpr size_t kMaxParts = 6;
constexpr size_t kMaxHostParts = 2;  // maximum number of host parts if other units compute the remaining parts

struct Choice {
  std::vector<Part> parts;         // parts on one lane are in execution order
  uint32_t sharing = kAnySharing;  // the only sharing that permits this choice; any if the choice does not use the host
};

struct TaskInput {
  uint32_t task = 0;  // index of an earlier task
  double bytes = 0;   // number of bytes of its output that are read
  // If set, each part reads only those channels that it also computes. Of two connected tasks, at most one may read
  // another in this way.
  bool by_channel = false;
};

struct Task {
  uint32_t branch = 0;
  Shape output;                   // shape of the output; parts are ranges of its channels and rows, if it has any
  std::vector<TaskInput> inputs;  // distinct tasks
  std::vector<Choice> choices;    // at least one
  // Whether the task reads inputs or writes outputs of the network. The caller owns both, in host memory.
  bool reads_caller = false;
  bool is_result = false;
  double caller_bytes = 0;
  double result_bytes = 0;
};

// How a lane waits for the inputs of its next step: it polls on a host core for `awake_us`, then sleeps and takes
// `wake_us` to wake up.
struct LaneWaits {
  double awake_us = 0;
  double wake_us = 0;
};

struct Problem {
  std::vector<ProblemUnit> units;  // in the session's order
  std::vector<Lane> lanes;         // host lanes first
  // For each sharing, the fraction of the cores that each host lane gets. Lanes beyond the end get no cores.
  std::vector<std::vector<double>> sharings = {{1.0}};
  std::vector<Task> tasks;  // in topological order; every task has a choice with sharing 0 or any
  // Resources that concurrent units share. The search ignores these limits; its candidates are then compared with the
  // limits applied (scheduler/problem/rates.h).
  double memory_mb_per_s = 0;  // 0: unlimited
  int host_cores = 0;          // 0: unlimited
  LaneWaits waits;

  const ProblemUnit& unit_of(const Part& part) const { return units[lanes[part.lane].unit]; }
};

Predecessors predecessors_of(const Problem& problem);

// Returns whether `part` reads data that part `written` of the input's task computes.
bool reads(const TaskInput& input, const Part& part, const Part& written);

// Clears by_channel unless both tasks are between the same two barriers, or both are barriers and their other
// neighbours are barriers. separators_of() (scheduler/problem/joins.h) then separates parallel branches exactly as the
// graph does.
void keep_barriers(Problem& problem);

// Returns the time to copy `bytes` between host memory and the memory of the unit. 1 MB/s is one byte per microsecond.
double copy_us(const ProblemUnit& unit, double bytes);

// Returns the time from the end of a step to the start of a step on another unit that reads `bytes` of its output.
double transfer_us(const ProblemUnit& from, const ProblemUnit& to, double bytes);
// Does the same for lanes. Returns 0 for the same lane.
double transfer_us(const Problem& problem, uint32_t from_lane, uint32_t to_lane, double bytes);
// Return the time to transfer the caller's inputs from lane 0 before the first step, and the time to transfer the
// outputs back to the caller after the last step.
double fetch_us(const Problem& problem, const Task& task, const Part& part);
double deliver_us(const Problem& problem, const Task& task, const Part& part);

}  // namespace nestrt::scheduler
