// SPDX-License-Identifier: Apache-2.0
// Schedule: the unit, program and order of every branch. The scheduler computes it from costs
// (nestrt/driver/costs.h); a session executes it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "nestrt/driver/channel_range.h"
#include "nestrt/plan.h"
#include "nestrt/result.h"
#include "nestrt/session_options.h"
#include "nestrt/visibility.h"

namespace NESTRT_PUBLIC nestrt {

struct UnitInfo;  // nestrt/driver/unit.h

// A sequence of steps that run in order: on a unit, or on a subset of the host's threads next to other lanes of the
// host. A session runs lane 0, which belongs to the host if there is one, on the calling thread.
struct Lane {
  uint32_t unit = 0;  // index in the unit list
};

// A branch, or some of its output channels, assigned to a lane.
struct Step {
  uint32_t branch = 0;
  ChannelRange channels;  // of the branch's only operator; other steps compute the remaining channels
  uint32_t program = 0;   // in Branch.programs
  uint32_t lane = 0;
  int threads = 0;          // number of the host's threads; 0: all
  double predicted_us = 0;  // time on its unit; 0: unknown
  // earlier steps on other lanes that must complete first, without those implied by others
  std::vector<uint32_t> waits;
};

struct Schedule {
  std::vector<Lane> lanes;
  // In an order that respects data dependencies. Each lane runs its steps in this order, so lanes cannot deadlock. A
  // branch that contains only views computes nothing and may have no step.
  std::vector<Step> steps;
  double makespan_us = 0;     // predicted
  double lower_bound_us = 0;  // no schedule of these programs is faster; 0 if no costs were used
};

// The times predicted for a schedule from given costs.
struct SchedulePrediction {
  std::vector<double> step_us;  // per step, on its unit
  double makespan_us = 0;
};

// Computes schedules from costs; implements every method except kFileOrder.
//
// Threading: all members may be called concurrently from any thread.
class Scheduler {
 public:
  virtual ~Scheduler() = default;
  // Errors: as for make_schedule().
  virtual Result<Schedule> make(const Plan& plan, std::span<const UnitInfo> units, const CostTable& costs,
                                const ScheduleOptions& options) const = 0;
  // Predicts the times of a schedule that make() computed for the plan on these units, possibly from other costs.
  // Errors: kNotFound if a cost is missing, kInvalidArgument if the schedule belongs to another plan.
  virtual Result<SchedulePrediction> predict(const Plan& plan, std::span<const UnitInfo> units, const CostTable& costs,
                                             const Schedule& schedule) const = 0;
};

// Computes a schedule with the library's scheduler. `units` are in the session's order. All methods except kFileOrder
// need costs.
// Errors: kIncompatible if a branch has no program for any unit; kNotFound if a cost is missing (names the operator and
// the unit); kInvalidArgument if `others` contains an invalid fraction; kUnsupported if the library has no scheduler.
Result<Schedule> make_schedule(const Plan& plan, std::span<const UnitInfo> units, const CostTable& costs,
                               const ScheduleOptions& options = {});

// Predicts the times of a schedule. Errors: as for Scheduler::predict; kUnsupported if the library has no scheduler.
Result<SchedulePrediction> predict_schedule(const Plan& plan, std::span<const UnitInfo> units, const CostTable& costs,
                                            const Schedule& schedule);

}  // namespace nestrt
