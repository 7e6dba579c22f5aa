// SPDX-License-Identifier: Apache-2.0
// Runs inferences of one plan on a fixed set of units.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "nestrt/deadline.h"
#include "nestrt/plan.h"
#include "nestrt/result.h"
#include "nestrt/session_options.h"
#include "nestrt/tensor.h"
#include "nestrt/visibility.h"

namespace NESTRT_PUBLIC nestrt {

class Unit;  // nestrt/driver/unit.h
using UnitList = std::vector<std::shared_ptr<Unit>>;

// Options of a run.
struct RunOptions {
  // The session checks the deadline between operators. Units serve work with an earlier deadline first. The host takes
  // over a branch from an unresponsive accelerator while it can still finish in time, or after half of the remaining
  // time if the host's time is unknown. If there is no time for both, the session trusts the accelerator unless it has
  // failed before.
  Deadline deadline = kNoDeadline;
};

// Memory of a session, in bytes.
struct SessionMemory {
  size_t arena_bytes = 0;     // activations
  size_t scratch_bytes = 0;   // scratch of the largest operator, all threads
  size_t repacked_bytes = 0;  // weights stored in another packing than the plan's
  // Data that the last run moved for accelerators (Traffic).
  size_t copied_bytes = 0;
  size_t shared_memory_bytes = 0;
};

// How a session computes an operator.
struct OperatorSummary {
  std::string_view name;
  std::string_view kind;    // "Conv"
  std::string_view kernel;  // "conv.f32.direct16"
  std::string unit;         // "cpu"; "evta0+cpu" if several units share the operator
  bool repacked = false;
  // Computed a few rows at a time together with the next operator, so its result stays in cache and is never complete
  // in memory. Disabled while an observer is set.
  bool is_row_fused = false;
};

// A plan prepared on units, ready to run.
//
//   auto plan = nestrt::Plan::map("model.nest");
//   auto units = nestrt::open_units("cpu");  // nestrt/open_units.h
//   auto session = nestrt::Session::create(*plan, *units);
//   nestrt::Status status = (*session)->run(inputs, outputs);
//
// Scheduling: create() picks the schedule with the lowest predicted latency. It runs branches concurrently on different
// units and may split one operator across units. Missing costs are learned during the first runs. A session of the host
// alone, without costs or a cost file, runs branches in the plan's order. Placement never changes a bit of a quantized
// result.
// Shapes: if the plan has several, the shapes of its inputs select the one for each run. Each shape has its own arena
// and schedule; the weights are shared. Except for memory(), the session reports on the first shape.
// Fallback: if a unit fails or exceeds its time limit, the host runs the branch within the same run, provided the host
// is one of the session's units. The failed unit is probed again periodically and reused once it works.
// Threading: one run at a time per session; a second caller waits. Sessions may share a plan and units and run on
// different threads. Const members may be called at any time. Do not fork() while another thread is inside a call. In
// the child, run() returns kUnavailable and destruction is safe; a new session of the same plan works there, with newly
// opened units or with the CPU's, which then computes on the calling thread only.
// Ownership: the session shares the plan and the units. Inputs and outputs belong to the caller; kernels access them
// in place.
// Complexity: create() allocates all memory; run() allocates nothing unless a unit fails.
class Session {
 public:
  // Errors: kInvalidArgument (no units, an invalid option or schedule), kInvalidPlan, kIncompatible, kUnsupported,
  // kNotFound (a cost is missing), kOutOfMemory, kUnavailable (no thread could be started).
  static Result<std::unique_ptr<Session>> create(std::shared_ptr<const Plan> plan, UnitList units,
                                                 const SessionOptions& options = {});
  virtual ~Session() = default;

  // Inputs and outputs in the plan's order.
  std::span<const TensorInfo> inputs() const { return plan().inputs(); }
  std::span<const TensorInfo> outputs() const { return plan().outputs(); }
  // Returns the index of the input or output named `name`, or nullopt.
  std::optional<size_t> find_input(std::string_view name) const;
  std::optional<size_t> find_output(std::string_view name) const;

  // Runs one inference. Inputs and outputs are in the plan's order. All are required, with the type and shape from
  // inputs() and outputs(), or from another of the plan's shapes. After an error the contents of the outputs are
  // unspecified.
  // Errors: kInvalidArgument (the message contains expected and actual values), kDeadlineExceeded, kCancelled,
  // kUnavailable (in a forked child), or an error of a unit.
  virtual Status run(std::span<const ConstTensorView> inputs, std::span<const TensorView> outputs,
                     const RunOptions& options) = 0;
  Status run(std::span<const ConstTensorView> inputs, std::span<const TensorView> outputs) {
    return run(inputs, outputs, RunOptions());
  }
  // Runs one inference on internal inputs, so that the first run() takes about as long as later ones: weights and
  // activations are in memory, caches are filled, and threads have started. Takes as long as a first run; for a plan
  // with several shapes, as one first run per shape. f32 inputs are random numbers in [-1, 1], integers 0 or 1. The
  // inputs and outputs are allocated for the duration of the call. Otherwise it is a run like any other, for observers
  // too. Errors: as for run(), and kOutOfMemory.
  Status warm_up(const RunOptions& options);
  Status warm_up() { return warm_up(RunOptions()); }
  // Ends the current run, if any, with kCancelled after the operators in progress. May be called from any thread.
  virtual void cancel() = 0;

  // Returns the number of steps since create() that the host computed because another unit failed.
  virtual uint64_t num_host_fallbacks() const = 0;
  // Returns the number of times that a new schedule replaced the previous one.
  virtual uint64_t num_reschedules() const = 0;
  // Returns the schedule of the next run (nestrt/driver/schedule.h).
  virtual Schedule schedule() const = 0;

  // Return the plan, and the memory used by the session and its last run.
  virtual const Plan& plan() const = 0;
  virtual SessionMemory memory() const = 0;
  // Returns one entry per operator of the plan, in file order.
  virtual std::vector<OperatorSummary> operators() const = 0;
};

}  // namespace nestrt
