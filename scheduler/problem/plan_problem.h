// SPDX-License-Identifier: Apache-2.0
// Formulates the scheduling problem for a plan, given units and costs.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "nestrt/driver/costs.h"
#include "nestrt/driver/unit.h"
#include "nestrt/plan.h"
#include "nestrt/result.h"
#include "scheduler/problem/problem.h"

namespace nestrt::scheduler {

// Resources shared by units that work concurrently.
struct SharedResources {
  double memory_mb_per_s = 0;    // 0: unlimited
  std::vector<double> awake_us;  // by unit: ProblemUnit::awake_us
  LaneWaits waits;
  // Overhead of each call of a host kernel. Splitting an operator adds calls.
  double kernel_us = 0;
  // Returns the number of bytes that a program of a branch transfers from and to memory for the given channels.
  std::function<double(uint32_t branch, uint32_t program, ChannelRange channels)> bytes;
  // Returns Part::host_us for a program of a branch. If not set, the time is 0.
  std::function<double(uint32_t branch, uint32_t program)> host_us;
};

struct PlanProblemOptions {
  bool split_channels = true;
  bool share_cores = true;
  const SharedResources* shared = nullptr;  // null: no resource is shared
};

// Makes one task for each branch that computes something. Its choices are:
// - one for each unit that has a program for the whole branch
// - with split_channels: one for each program that computes a range of channels starting with the first, while the host
//   computes the rest; if several units run the same programs, choices in which each of them computes a part; and, if
//   the task reads a split task channel by channel, choices in which the host's share has two parts
// - with share_cores: choices that run the whole branch on some of the host's threads, if costs for at most that number
//   of threads are known
// Inputs are resolved through views and in-place concatenations.
// Errors: kIncompatible (a branch has no program for any unit); kNotFound (a cost is missing).
Result<Problem> make_problem(const Plan& plan, std::span<const UnitInfo> units, const CostTable& costs,
                             const PlanProblemOptions& options = {});

}  // namespace nestrt::scheduler
