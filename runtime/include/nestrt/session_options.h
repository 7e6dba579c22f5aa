// SPDX-License-Identifier: Apache-2.0
// SessionOptions: how a session schedules, measures, adapts and recovers. Every default is suitable for production use.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "nestrt/public_key.h"
#include "nestrt/visibility.h"

namespace NESTRT_PUBLIC nestrt {

class Clock;        // nestrt/driver/clock.h
class CostTable;    // nestrt/driver/costs.h
class RunObserver;  // nestrt/driver/unit.h
struct Schedule;    // nestrt/driver/schedule.h

// How branches are placed on units (docs/concepts/scheduling.md).
enum class ScheduleMethod : uint8_t {
  kFileOrder,         // one branch after another in file order, on the first unit with a program; needs no costs
  kSequential,        // the best placement of branches that run one after another
  kGroupEnumeration,  // groups of parallel branches; enumerates placements of whole branches
  kOptimum,           // the shortest schedule that the search finds
  kThroughput,        // the smallest load of the busiest unit, for several inferences in flight
};

// Options of the schedule search.
struct ScheduleOptions {
  ScheduleMethod method = ScheduleMethod::kOptimum;
  bool split_channels = true;                // split one operator across units (kOptimum)
  bool share_cores = true;                   // run branches concurrently on the host's threads (kOptimum)
  std::chrono::microseconds budget{20'000};  // time limit of the search, which then returns the best schedule so far
  // Fraction of time that other sessions need each unit, indexed by unit; 1 means that the unit is never free. If this
  // is not empty, schedules minimise the time that sessions wait for each other (kOptimum).
  std::vector<double> others = {};
};

// What a session does if several placements are possible and costs are missing.
enum class Measuring : uint8_t {
  // Never measures. Missing costs are an error; without any costs the session runs branches in the plan's order.
  kNever,
  // Starts from the plan's costs and from estimates, and learns from the runs (docs/concepts/adaptation.md). Behaves
  // like kBefore if a cost file is set or every run is checked, because nothing can be learned from such runs.
  kInRuns,
  // Measures all missing costs in create(), which takes as long as some tens of inferences. If the costs predict that
  // running branches concurrently on the host is faster, a few more inferences verify it. Skips a unit that fails
  // during measurement. Intended for benchmarks and for sessions that do not adapt.
  kBefore,
};

// The kernels that a session may choose from if the plan lists several for an operator.
enum class KernelChoice : uint8_t {
  kCompiler,  // only the kernels that the compiler chose
  kSameBits,  // kernels with bit-identical results; includes all integer kernels
  kAnyBits,   // all kernels: the last bits of f32 results may vary between runs while the session explores
};

// When a unit counts as failed, and when it is used again.
struct FaultToleranceOptions {
  // A branch on an accelerator fails if it is not complete after this time.
  std::chrono::milliseconds unit_timeout{10'000};
  // If the host can run the branch instead, it also fails after timeout_factor times its expected time plus
  // timeout_slack. The expected time is the larger of the mean over this session's runs and the time measured by
  // create() or read from the cost file. Costs from CostOptions::table or from the plan may describe another board and
  // are ignored. Only unit_timeout applies if the expected time is unknown or UnitInfo::is_steady is false.
  // The factor allows for memory contention. The slack allows for a late wake-up of the waiting thread when all cores
  // are busy. 0 disables this limit; otherwise 1 to 1,000,000.
  double timeout_factor = 8;
  std::chrono::milliseconds timeout_slack{50};
  // A failed unit is probed after 1/16 of this interval; the delay doubles after every failed probe, up to the
  // interval.
  std::chrono::milliseconds probe_interval{1000};
  // Every N runs, the host recomputes the accelerators' branches first, and a unit whose results differ counts as
  // failed. 0 disables the check.
  uint32_t check_every = 0;
};

// Where costs come from.
struct CostOptions {
  // Costs of operators on these units; null if unknown.
  std::shared_ptr<const CostTable> table = nullptr;
  // File of costs measured on this board. create() reads it if it exists and stores what it measures. Empty: none.
  std::string file = {};
  Measuring measure = Measuring::kInRuns;
  // Keeps learned costs for the next session of this plan on these units, in the folder $NESTRT_COST_CACHE (empty
  // disables the cache), else $XDG_CACHE_HOME/nestrt, else ~/.cache/nestrt. Requires kInRuns, no `table` and no `file`.
  // Foreign or damaged cache files are ignored.
  bool keep = true;
};

// What a session may change between runs.
struct AdaptationOptions {
  // Reschedules immediately if a unit becomes slower or faster by more than this fraction, and for smaller changes once
  // enough runs confirm them. Also reschedules when a unit fails or recovers. Some runs execute a branch on another
  // unit to learn its cost; apart from the first three runs this takes at most 1 % of the time. 0 disables adaptation.
  double drift = 0.1;
  // Tries the plan's alternative kernels in some runs and keeps the fastest. Apart from the first run this takes at
  // most 0.5 % of the time. Results are stored in the same way as costs. Requires drift > 0.
  KernelChoice kernels = KernelChoice::kSameBits;
};

struct SessionOptions {
  ScheduleOptions schedule = {};
  CostOptions costs = {};
  AdaptationOptions adaptation = {};
  FaultToleranceOptions fault_tolerance = {};

  // Runs exactly this schedule. Its units are indices into the list passed to create(). For a plan with several shapes
  // it applies to each shape; to run one shape, use plan->shapes()[i] with a schedule for it.
  std::shared_ptr<const Schedule> fixed_schedule = nullptr;
  // Shared host threads and units run this session's work before that of other sessions (docs/concepts/scheduling.md,
  // "Several sessions").
  bool urgent = false;
  // Source of time; null for the steady clock.
  std::shared_ptr<Clock> clock = nullptr;
  // If not empty, the plan must have been loaded with one of these keys as its signer (LoadOptions).
  std::vector<PublicKey> trusted_keys = {};
  // Receives every operator and step of every run, for profiles and traces. Must outlive the session.
  RunObserver* observer = nullptr;
};

}  // namespace nestrt
