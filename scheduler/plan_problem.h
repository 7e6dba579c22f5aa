// The problem that a plan poses on given units with given costs.
#pragma once

#include <span>

#include "nestrt/plan.h"
#include "nestrt/result.h"
#include "scheduler/problem.h"

namespace nestrt::scheduler {

struct PlanProblemOptions {
  bool split_channels = true;
  bool share_cores = true;
};

// A task for each branch that computes something, with a choice for each unit that has a program for all of it; with
// split_channels one for each program for a part of its channels, the host computing the others, and where it reads a
// task channel by channel that is divided, with the host's share in two parts; with share_cores whole ones on the host
// also with a part of its threads, where costs with so many or fewer are known.
// A task reads what branches compute, also through views and concatenations in place.
// Errors: kIncompatible where a branch has no program for any unit; kNotFound where a cost is missing.
Result<Problem> make_problem(const Plan& plan, std::span<const UnitInfo> units, const CostTable& costs,
                             const PlanProblemOptions& options = {});

}  // namespace nestrt::scheduler
