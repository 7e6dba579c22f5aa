// The problem that a plan poses on given units with given costs.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "nestrt/plan.h"
#include "nestrt/result.h"
#include "scheduler/problem/problem.h"

namespace nestrt::scheduler {

// What the units of a board share while they work at the same time.
struct SharedResources {
  double memory_mb_per_s = 0;    // 0: never short
  std::vector<double> awake_us;  // by unit: ProblemUnit::awake_us
  LaneWaits waits;
  // What each call of a kernel of the host takes beside its work. Where an operator is divided there are more calls.
  double kernel_us = 0;
  // The bytes that a branch's program moves from and to memory for some of its channels.
  std::function<double(uint32_t branch, uint32_t program, ChannelRange channels)> bytes;
  // Part::host_us of a branch's program; none: nothing.
  std::function<double(uint32_t branch, uint32_t program)> host_us;
};

struct PlanProblemOptions {
  bool split_channels = true;
  bool share_cores = true;
  const SharedResources* shared = nullptr;  // none: nothing is ever short
};

// A task for each branch that computes something, with a choice for each unit that has a program for all of it; with
// split_channels one for each program for a part of its channels from the first on, the host computing the others; for
// units that run the same programs those in which several of them compute a part each; and where it reads a task
// channel by channel that is divided, with the host's share in two parts; with share_cores whole ones on the host
// also with a part of its threads, where costs with so many or fewer are known.
// A task reads what branches compute, also through views and concatenations in place.
// Errors: kIncompatible where a branch has no program for any unit; kNotFound where a cost is missing.
Result<Problem> make_problem(const Plan& plan, std::span<const UnitInfo> units, const CostTable& costs,
                             const PlanProblemOptions& options = {});

}  // namespace nestrt::scheduler
