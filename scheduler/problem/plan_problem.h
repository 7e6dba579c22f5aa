// SPDX-License-Identifier: Apache-2.0
// The scheduling problem for a plan, given units and costs.
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

// Resources that units working concurrently share.
struct SharedResources {
  double memory_mb_per_s = 0;    // 0: unlimited
  std::vector<double> awake_us;  // by unit: ProblemUnit::awake_us
  LaneWaits waits;
  // Overhead of each call of a host kernel. Splitting an operator adds calls.
  double kernel_us = 0;
  // Returns the bytes that a branch's program transfers from and to memory for the given channels.
  std::function<double(uint32_t branch, uint32_t program, ChannelRange channels)> bytes;
  // Returns Part::host_us of a branch's program; empty: 0 for all.
  std::function<double(uint32_t branch, uint32_t program)> host_us;
};

struct PlanProblemOptions {
  bool split_channels = true;
  bool share_cores = true;
  const SharedResources* shared = nullptr;  // null: no resource is shared
};

// Makes one task for each branch that computes something. Its choices are:
// - one for each unit that has a program for the whole branch
// - with split_channels: one for each program that computes a range of channels starting at the first, while the host
//   computes the rest; for units that run the same programs, choices in which several of them compute a part each; and,
//   for a task that reads a split task channel by channel, choices in which the host's share has two parts
// - with share_cores: whole-branch choices on some of the host's threads, if costs with that many threads or fewer are
//   known
// Inputs are resolved through views and in-place concatenations.
// Errors: kIncompatible (a branch has no program for any unit); kNotFound (a cost is missing).
Result<Problem> make_problem(const Plan& plan, std::span<const UnitInfo> units, const CostTable& costs,
                             const PlanProblemOptions& options = {});

}  // namespace nestrt::scheduler
