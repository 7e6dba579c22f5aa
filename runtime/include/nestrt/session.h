// Session: a plan loaded on given units, ready to run.
//
//   auto plan = nestrt::Plan::map("model.nest");
//   auto units = nestrt::open_units("cpu");  // nestrt/open_units.h
//   auto session = nestrt::Session::create(*plan, *units);
//   nestrt::Status status = (*session)->run(inputs, outputs);
//
// Schedule: where several units have programs for a plan, or costs are given, create() makes the schedule that those
// costs promise to be the fastest: branches side by side on different units, and one operator divided between them.
// Costs that are not given are learned in the first runs. A session of the host alone, without costs or a file to keep
// them in, runs in the plan's order.
// Which unit computes what changes no bit of a quantized result.
// Shapes: of a plan with several (Plan::shapes), each run takes the one that its inputs have. Each has an arena and a
// schedule of its own; weights are the plan's. What the session says of itself is said of the first, but for its
// memory. Memory: create() allocates everything (arena, scratch, tables); run() allocates nothing unless a unit fails.
// Inputs and outputs are the caller's: kernels read and write them directly. Failures: where a unit beside the host
// fails a branch, or takes too long for it, the host computes the branch within the same run if it is among the
// session's units. The unit is tried again now and then, and used again once it works. Threads: one run at a time per
// session (a second caller waits); any number of sessions may share a plan and units and run from different threads.
// Everything else is const and may be called at any time. fork(): while no other thread is inside a call. The child has
// none of the session's threads: run() is refused with kUnavailable, destroying is fine. It makes sessions of its own
// with the same plan, and with units of its own, or the CPU's, which then computes on the calling thread alone.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "nestrt/driver/clock.h"
#include "nestrt/driver/schedule.h"
#include "nestrt/driver/unit.h"
#include "nestrt/driver/visibility.h"
#include "nestrt/plan.h"
#include "nestrt/result.h"
#include "nestrt/tensor.h"

namespace NESTRT_PUBLIC nestrt {

// Where there is a choice and costs are missing.
enum class Measuring : uint8_t {
  kNever,   // an error, or, where no costs at all are known, the plan's order
  kInRuns,  // begins with what the plan says and with estimates, and learns from its runs (docs/adaptation.md); with a
            // cost_file, and where every run is checked, from which nothing is learned, as kBefore
  // All are measured when the session is created, which takes as long as some tens of inferences; and where costs
  // promise that branches side by side on the host are faster, that is tried in some inferences more. A unit that fails
  // while it is measured is left out, as one that fails in a run. For benchmarks, and sessions without
  // reschedule_drift.
  kBefore,
};

// Among which kernels of an operator a session may choose, where the plan names several.
enum class KernelChoice : uint8_t {
  kCompilers,  // none: those that the compiler chose
  kSameBits,   // those that give the same results to the bit, as all that compute with integers do
  kAnyBits,    // all: results in f32 may differ in their last bits from run to run, while the session finds out
};

struct SessionOptions {
  // Watches every operator and step of every run; must outlive the session. For profiles and traces.
  RunObserver* observer = nullptr;
  // A branch on a unit beside the host that is not complete by then has failed.
  std::chrono::milliseconds unit_timeout{10'000};
  // Where the host can compute in its place, a unit that takes longer for a branch than this many times what it took
  // before, and the slack, has failed as well. What it took: the mean of the session's runs, or what was measured when
  // the session was created or is in its cost_file, if that is more. `costs` and what a plan states may be of another
  // board and do not count. Where nothing is known, as in a first run without costs, and on units that are not steady
  // (UnitInfo::is_steady), unit_timeout alone holds. The factor is for one that shares its memory with others;
  // the slack for short branches: so long may the system let a thread wait that is to see the end of a program, where
  // all of its cores are busy. 0: unit_timeout alone; else 1 to a million.
  double unit_limit_factor = 8;
  std::chrono::milliseconds unit_limit_slack{50};

  ScheduleOptions schedule = {};
  // What operators cost on these units; null: nothing is known.
  std::shared_ptr<const CostTable> costs = nullptr;
  Measuring measure = Measuring::kInRuns;
  // What runs have shown is kept for the next session of this plan on these units, in $NESTRT_COST_CACHE (empty:
  // nowhere), else $XDG_CACHE_HOME/nestrt, else ~/.cache/nestrt: with kInRuns, and neither `costs` nor `cost_file`. A
  // file that is foreign or damaged is not used.
  bool keep_costs = true;
  // Costs are read from this file, where it exists, and those that are measured when the session is created are kept
  // there for the next time. It is of one board: its costs are those of these units. Empty: none.
  std::string cost_file = {};
  // Runs exactly this one, whatever it costs. Its units are positions in the list that create() is given. Of a plan for
  // several shapes each would have to run it: a schedule of one shape goes with plan->shapes()[i].
  std::shared_ptr<const Schedule> fixed_schedule = nullptr;
  // Costs follow the times of the runs, and another schedule takes the place of the one in use where it promises to be
  // faster, or a unit fails or works again: at once where a unit's work takes longer or shorter by more than this part,
  // and for less when many runs agree. In some runs work is tried on another unit, to know how long it takes there:
  // that takes at most a hundredth of all time, beside that of the first three runs. 0: never.
  double reschedule_drift = 0.1;
  // Where the plan names several kernels for an operator, they are tried in some of the runs, and the fastest is used:
  // that takes at most half a hundredth of all time, beside that of the first run, and is kept as costs are. Needs
  // reschedule_drift.
  KernelChoice kernels = KernelChoice::kSameBits;
  // Units that have failed are tried again: the first time after a sixteenth of this, then after twice as long each
  // time, up to this.
  std::chrono::milliseconds probe_interval{1000};
  // In every so many runs the host computes what other units compute, before them, and takes them for failing where
  // theirs differs. 0: never.
  uint32_t check_every = 0;
  // The threads of a host that sessions share leave other work for this session's, and units take what waits for them
  // from it first (docs/scheduling.md, "Several sessions").
  bool urgent = false;
  std::shared_ptr<Clock> clock = nullptr;  // null: the steady clock
  // Where there are any, only plans that were loaded with one of them as their signer are taken (LoadOptions).
  std::vector<PublicKey> trusted_keys = {};
};

struct RunOptions {
  // Looked at between operators. Of what waits for a unit beside the host, that with the earlier deadline is first. A
  // unit beside the host that does not answer is given up as early as the host needs to compute its branch, and what
  // comes after it, in time: as far as it is known how long that takes; else after half of the time that is left. Where
  // there is not the time for both, the unit is trusted, until it has failed once.
  Deadline deadline = kNoDeadline;
};

struct SessionMemory {
  size_t arena_bytes = 0;     // activations
  size_t scratch_bytes = 0;   // what the hungriest operator takes, all threads
  size_t repacked_bytes = 0;  // weights held in another packing than the plan's
  // What the last run moved for units beside the host (Traffic).
  size_t copied_bytes = 0;
  size_t shared_memory_bytes = 0;
};

struct OperatorSummary {
  std::string_view name;
  std::string_view kind;    // "Conv"
  std::string_view kernel;  // "conv.f32.direct16"
  std::string unit;         // "cpu"; "evta0+cpu" where they share it
  bool repacked = false;
  // Some rows of it are computed, then of the next operator: its result stays in a cache and is never whole. Where an
  // observer looks on it is computed alone.
  bool is_row_fused = false;
};

class Session {
 public:
  // Errors: kInvalidArgument (no units, a wrong schedule), kInvalidPlan, kIncompatible, kUnsupported, kNotFound (a cost
  // is missing), kOutOfMemory, kUnavailable (no more threads to be had).
  static Result<std::unique_ptr<Session>> create(std::shared_ptr<const Plan> plan, UnitList units,
                                                 const SessionOptions& options = {});
  virtual ~Session() = default;

  std::span<const TensorInfo> inputs() const { return plan().inputs(); }
  std::span<const TensorInfo> outputs() const { return plan().outputs(); }
  // Position of the input or output of that name; empty where there is none.
  std::optional<size_t> find_input(std::string_view name) const;
  std::optional<size_t> find_output(std::string_view name) const;

  // Runs one inference. Inputs and outputs in the plan's order; every one is needed, with exactly the type and shape
  // that inputs() and outputs() state, or those of another of the plan's shapes. On failure the outputs hold nothing of
  // use. Errors: kInvalidArgument (says what was expected and what came), kDeadlineExceeded, kCancelled, kUnavailable
  // in a child made by fork(), and those of the units.
  virtual Status run(std::span<const ConstTensorView> inputs, std::span<const TensorView> outputs,
                     const RunOptions& options) = 0;
  Status run(std::span<const ConstTensorView> inputs, std::span<const TensorView> outputs) {
    return run(inputs, outputs, RunOptions());
  }
  // The run in progress, if there is one, ends with kCancelled, after the operators that it is at. From any thread.
  virtual void cancel() = 0;

  // Steps that the host computed because another unit had failed, since create().
  virtual uint64_t num_host_fallbacks() const = 0;
  // How often a new schedule took the place of another.
  virtual uint64_t reschedules() const = 0;
  // The schedule of the next run, as it stands now.
  virtual Schedule schedule() const = 0;

  virtual const Plan& plan() const = 0;
  virtual SessionMemory memory() const = 0;
  // One entry per operator of the plan, in file order.
  virtual std::vector<OperatorSummary> operators() const = 0;
};

}  // namespace nestrt
