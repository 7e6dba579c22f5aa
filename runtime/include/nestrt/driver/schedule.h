// Schedule: which unit computes which branch, with which program, and in which order. The scheduler makes it from
// measured costs (nestrt/driver/costs.h); a session executes it.
#pragma once

#include <chrono>
#include <cstdint>
#include <span>
#include <vector>

#include "nestrt/driver/costs.h"
#include "nestrt/driver/unit.h"
#include "nestrt/driver/visibility.h"
#include "nestrt/plan.h"
#include "nestrt/result.h"

namespace NESTRT_PUBLIC nestrt {

// Runs its steps one after the other: a unit, or, side by side with other lanes of the host, some of its threads.
// A session runs lane 0, which is the host's wherever there is a host, on the thread that calls it.
struct Lane {
  uint32_t unit = 0;  // position in the list of units
};

// A branch, or some output channels of one, on a lane.
struct Step {
  uint32_t branch = 0;
  ChannelRange channels;  // the branch's only operator's; other steps compute its other channels
  uint32_t program = 0;   // in Branch.programs
  uint32_t lane = 0;
  int threads = 0;              // the host's; 0: all of them
  double predicted_us = 0;      // time on its unit; 0: not known
  std::vector<uint32_t> waits;  // earlier steps of other lanes that have to be complete: not those that others imply
};

struct Schedule {
  std::vector<Lane> lanes;
  // In an order that respects the graph. A lane runs its own in this order, so no two can wait for each other. A
  // branch of views only, which computes nothing, may have no step.
  std::vector<Step> steps;
  double makespan_us = 0;     // predicted
  double lower_bound_us = 0;  // no schedule of these programs is faster; 0 where costs were not asked for
};

enum class ScheduleMethod : uint8_t {
  kFileOrder,   // one branch after the other, in file order, on the first unit that has a program for it
  kSequential,  // the best placement of branches that run one after the other
  kPaper,       // parallel groups by enumeration of whole branches on units, as in the paper (docs/scheduling.md)
  kOptimum,     // the shortest that the search finds
  kThroughput,  // the smallest load of the busiest unit, for several inferences in flight
};

struct ScheduleOptions {
  ScheduleMethod method = ScheduleMethod::kOptimum;
  bool split_channels = true;                // one operator on several units (kOptimum)
  bool share_cores = true;                   // branches side by side on the host's threads (kOptimum)
  std::chrono::microseconds budget{20'000};  // for the search; what is best by then is taken
  // By unit: what other sessions want of its time, 1 for one that never lets go of it. Where it is not empty, schedules
  // are for the least waiting for each other (kOptimum).
  std::vector<double> others = {};
};

// What a schedule takes with given costs.
struct SchedulePrediction {
  std::vector<double> step_us;  // by step, on its unit
  double makespan_us = 0;
};

// What makes schedules out of costs: the search behind every method but kFileOrder.
// Threads: all members from any thread, any number at a time.
class Scheduler {
 public:
  virtual ~Scheduler() = default;
  // Errors: as make_schedule().
  virtual Result<Schedule> make(const Plan& plan, std::span<const UnitInfo> units, const CostTable& costs,
                                const ScheduleOptions& options) const = 0;
  // What a schedule that make() made of the plan on these units takes, whatever the costs that it was made from.
  // Errors: kNotFound where a cost is missing, kInvalidArgument where the schedule is of another plan.
  virtual Result<SchedulePrediction> predict(const Plan& plan, std::span<const UnitInfo> units, const CostTable& costs,
                                             const Schedule& schedule) const = 0;
};

// By the library's scheduler (nestrt/driver/services.h); kFileOrder needs none. `units` as a session has them. Methods
// but kFileOrder need costs. Errors: kIncompatible where a branch has no program for any unit; kNotFound where a cost
// is missing: it names the operator and the unit; kInvalidArgument where `others` has what is no share; kUnsupported
// where the library has no scheduler.
Result<Schedule> make_schedule(const Plan& plan, std::span<const UnitInfo> units, const CostTable& costs,
                               const ScheduleOptions& options = {});

// Likewise: Scheduler::predict. Errors: those of it; kUnsupported where the library has no scheduler.
Result<SchedulePrediction> predict_schedule(const Plan& plan, std::span<const UnitInfo> units, const CostTable& costs,
                                            const Schedule& schedule);

}  // namespace nestrt
