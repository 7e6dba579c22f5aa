// Problem: tasks to place on lanes, so that the last is complete as early as possible.
//
// A lane runs one step at a time: a unit beside the host has one lane; the host has as many as its cores may be shared
// out to. A task is done in one of several ways (choices): whole on a lane, or in parts, on several lanes or one after
// the other on one. A part starts when its lane is free and all that it reads has arrived: all that the task reads, but
// where it reads another task channel by channel, only its own channels of that.
// Between two separators of the graph (scheduler/problem/joins.h) the host's cores are shared in one way; a barrier
// itself has them all. Times in microseconds.
#pragma once

#include <cstdint>
#include <vector>

#include "nestrt/driver/schedule.h"
#include "scheduler/problem/regions.h"

namespace nestrt::scheduler {

struct ProblemUnit {
  bool is_host = false;
  UnitOverhead overhead;
  double awake_us = 0;  // before the end of each of its parts a thread of the host looks for it without sleeping
};

struct Part {
  uint32_t lane = 0;
  double us = 0;            // alone
  double bytes = 0;         // that it moves from and to memory
  double host_us = 0;       // at its end, in which a core of the host works for a unit beside it
  double output_share = 1;  // part of what the task computes
  double unit_share = 1;    // part of its unit: less than 1 where the host's cores are shared out
  uint32_t program = 0;     // in Branch.programs
  ChannelRange channels;
  int threads = 0;  // the host's; 0: all
};

// The ways to share out the host's cores are numbered: 0 is all of them in lane 0.
constexpr uint32_t kAnySharing = UINT32_MAX;

constexpr size_t kMaxParts = 6;
constexpr size_t kMaxHostParts = 2;  // of them the host's, where others compute some

struct Choice {
  std::vector<Part> parts;         // those on one lane in the order in which it runs them
  uint32_t sharing = kAnySharing;  // that it is possible with; any where it does not use the host
};

struct TaskInput {
  uint32_t task = 0;  // an earlier one
  double bytes = 0;   // read of its output
  // A part reads only the channels that it computes itself. Of two tasks at most one reads another in this way.
  bool by_channel = false;
};

struct Task {
  uint32_t branch = 0;
  Shape output;                   // of which parts have channels and rows, where there are such
  std::vector<TaskInput> inputs;  // distinct tasks
  std::vector<Choice> choices;    // at least one
  // What it reads of the network's inputs and computes of its outputs, which are the caller's: on the host.
  bool reads_caller = false;
  bool is_result = false;
  double caller_bytes = 0;
  double result_bytes = 0;
};

// How a lane waits for what its next step reads: so long it looks for it without sleeping, on a core of the host's;
// then it sleeps, and takes so long to wake.
struct LaneWaits {
  double awake_us = 0;
  double wake_us = 0;
};

struct Problem {
  std::vector<ProblemUnit> units;  // as the session has them
  std::vector<Lane> lanes;         // those of the host first
  // By sharing and lane of the host: the share of the cores; a lane beyond the last has none.
  std::vector<std::vector<double>> sharings = {{1.0}};
  std::vector<Task> tasks;  // in topological order; every task has a choice with sharing 0 or any
  // What units that work at the same time share. Schedules are searched as if nothing ever ran short, and told apart by
  // what they take if it does (scheduler/problem/rates.h).
  double memory_mb_per_s = 0;  // 0: never short
  int host_cores = 0;          // 0: never short
  LaneWaits waits;

  const ProblemUnit& unit_of(const Part& part) const { return units[lanes[part.lane].unit]; }
};

Predecessors predecessors_of(const Problem& problem);

// Whether a part of a task reads something that a part of the input's task has written.
bool reads(const TaskInput& input, const Part& part, const Part& written);

// Has all of an input read where it was by channel, unless both tasks are between the same two barriers, or are
// barriers themselves with only barriers around: separators_of() (scheduler/problem/joins.h) then separates branches
// side by side as the graph does.
void keep_barriers(Problem& problem);

// Between the host's memory and the unit's. One megabyte per second is one byte per microsecond.
double copy_us(const ProblemUnit& unit, double bytes);

// From the end of a step on one unit to the start of a step on another that reads so many bytes of what it wrote.
double transfer_us(const ProblemUnit& from, const ProblemUnit& to, double bytes);
// The same between lanes; 0 where they are the same.
double transfer_us(const Problem& problem, uint32_t from_lane, uint32_t to_lane, double bytes);
// The same from the caller, in lane 0, before the first step, and back to the caller, after the last.
double fetch_us(const Problem& problem, const Task& task, const Part& part);
double deliver_us(const Problem& problem, const Task& task, const Part& part);

}  // namespace nestrt::scheduler
