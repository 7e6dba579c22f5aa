// SPDX-License-Identifier: Apache-2.0
// Unit: a device that executes programs, for example the CPU pool, one EVTA instance or one U280 core. It is the
// interface between the runtime, which schedules, and drivers/, which provides units.
//
// A unit describes itself, prepares a program once per session, and then runs it any number of times. Units are
// interchangeable for the branches that they accept: placement never changes a bit of a quantized result.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "nestrt/deadline.h"
#include "nestrt/driver/channel_range.h"
#include "nestrt/driver/event.h"
#include "nestrt/plan.h"
#include "nestrt/result.h"
#include "nestrt/visibility.h"

namespace NESTRT_PUBLIC nestrt {

namespace plan {
struct Program;  // nestrt/driver/plan_tables.h
}
class Host;        // runtime/core/host.h, not installed: only libnestrt implements hosts
struct CoreShare;  // runtime/core/host.h

// The properties of a unit.
struct UnitInfo {
  std::string kind;  // "cpu", "evta", ...: matches plan::Program.unit
  std::string name;  // "cpu", "evta0", ...: unique within a session
  // "neon", "1x16_15_15_18_17", ...: the only configuration that programs and measured costs apply to
  std::string configuration;
  int num_threads = 1;
  // The unit that represents the machine's own cores and runs on the caller's threads; at most one per session. It runs
  // the kernels of branches, and takes over from failed units. Every branch has kernels unless another compiler
  // generated it.
  bool is_host = false;
  // A program takes about the same time on every run, so measured times reveal a hung unit.
  bool is_steady = true;
  // Programs of another compiler in the session's plan that the unit rejects; the host runs their branches.
  std::vector<const plan::Program*> refused{};
};

// A branch of a plan, as passed to a unit. Everything it refers to outlives the executables prepared from it.
struct BranchSpec {
  std::shared_ptr<const Plan> plan;
  uint32_t branch = 0;  // index in plan::Tables.branches
  const plan::Program* program = nullptr;
  // Channels of the branch's only operator. A program of instructions computes its fixed channels
  // (plan::Program.channels); kernels compute any slice of a divisible operator (runtime/plan/queries/channels.h).
  ChannelRange channels = {};
  // For a program of kernels, per operator of the branch: 0 for the compiler's choice, else 1 + the index in
  // KernelSelection::alternatives. Empty: the compiler's choice for all operators. Only prepare() reads it.
  std::span<const uint32_t> kernels = {};
};

// A kernel that a program may use instead of the compiler's choice.
struct KernelOption {
  uint32_t op = 0;         // position in the branch
  uint32_t number = 0;     // as in BranchSpec::kernels; 0 is the compiler's choice itself
  std::string_view name;   // "conv.s8.direct16"
  bool same_bits = false;  // bit-identical results to the compiler's choice, for all data
};

// The memory of one run: the address of every buffer of the plan, indexed by buffer. Constants point into the plan.
struct Bindings {
  std::span<std::byte* const> buffers;
  std::byte* scratch = nullptr;  // at least Executable::scratch_bytes(), aligned to 64
};

// Memory that both the host and a unit can access: the unit's programs read and write tensors there in place. Between
// submissions the host sees all data written by the unit. Dropping the last reference frees the memory.
class HostVisibleMemory {
 public:
  virtual ~HostVisibleMemory() = default;
  virtual std::span<std::byte> bytes() const = 0;  // aligned to 64
  // Returns false if a program failed and the unit could not be stopped, because it may still write to this memory.
  virtual bool is_safe() const = 0;
};

// Number of bytes that a run of a program moved.
struct Traffic {
  uint64_t copied_bytes = 0;         // to or from memory that the unit cannot access
  uint64_t shared_memory_bytes = 0;  // in memory that both can access: through caches or over a bus
};

// Phases of a submission on a unit with its own memory.
enum class Phase : uint8_t { kTransferIn, kRun, kTransferOut };

// A step of a schedule, as executed. Its lane was ready at `ready` and waited for other lanes until `start`.
struct StepRecord {
  uint32_t step = 0;
  uint32_t branch = 0;
  uint32_t lane = 0;
  uint32_t unit = 0;  // the scheduled unit, as an index into the session's units
  SteadyClock::time_point ready, start, end;
  bool is_host_fallback = false;  // the host ran the step because the unit failed
};

// Receives the events of a run, for profiles and traces. While an observer is set, the host computes every operator
// separately and completely, without row fusion.
//
// Threading: called by the threads that run operators, concurrently if several units work. It must not block or
// allocate.
class RunObserver {
 public:
  using Time = SteadyClock::time_point;
  virtual ~RunObserver() = default;
  // Called once per operator that a submission computed, completely or in part.
  virtual void operator_done(uint32_t operator_index, Time start, Time end) = 0;
  virtual void phase_done(uint32_t /*operator_index: the first of the branch*/, Phase, Time /*start*/, Time /*end*/) {}
  virtual void step_done(const StepRecord&) {}
};

// One run of a program, as submitted to a unit.
struct Submission {
  Bindings bindings;
  Deadline deadline = kNoDeadline;       // the result is useless afterwards: the run ends with kDeadlineExceeded
  Deadline unit_deadline = kNoDeadline;  // for accelerators: as `deadline`, but the unit also counts as failed
  // Time limit, measured from the start of the program, which may be queued. A unit may use only the deadlines.
  std::chrono::nanoseconds unit_limit = std::chrono::nanoseconds::max();
  bool urgent = false;           // precedes other queued submissions, which are ordered by `deadline`
  bool submitter_waits = false;  // the submitter only waits for completion: the unit may work on its thread
  RunObserver* observer = nullptr;
  const CoreShare* cores = nullptr;  // the host threads that may work on it; null: all
  // Per buffer: the number of the unit that wrote all of it in this run, in the numbering of `writer`; 0: the host,
  // several units, or unknown. Empty: unknown for all buffers.
  std::span<const uint8_t> writers = {};
  uint8_t writer = 0;  // the number of this unit; 0: unknown
  // The results will be compared: first copy the previous contents of the outputs to the unit, so that bytes which the
  // program fails to write are detected.
  bool is_checked = false;
  const std::atomic<bool>* cancelled = nullptr;  // if it becomes true, the run ends with kCancelled between operators
  Event* completion = nullptr;                   // armed by the submitter; the unit signals `generation` exactly once
  uint64_t generation = 0;

  // Returns the unit's deadline for a start at `begin`.
  Deadline unit_deadline_from(SteadyClock::time_point begin) const {
    if (unit_deadline <= begin || unit_limit >= unit_deadline - begin) return unit_deadline;
    return begin + std::chrono::duration_cast<SteadyClock::duration>(unit_limit);
  }
  // Returns whether this unit itself wrote the whole buffer in this run.
  bool is_own_result(uint32_t buffer) const {
    return writer != 0 && buffer < writers.size() && writers[buffer] == writer;
  }
};

// A program prepared on a unit for a session.
//
// Threading: submit() from one thread at a time. The destructor stops an incomplete submission and waits until the unit
// no longer accesses its memory or its completion, which need not be signalled.
class Executable {
 public:
  virtual ~Executable() = default;
  virtual size_t scratch_bytes() const = 0;
  // Returns the number of weight bytes that the executable stores in another packing than the plan's.
  virtual size_t repacked_bytes() const { return 0; }
  // Announces the buffer addresses of future runs, null for those that change, so that the unit can do expensive work
  // in advance. Runs with other addresses stay valid. Must not be called during a run. Errors: as for Unit::prepare.
  virtual Status bind(std::span<std::byte* const> /*buffers*/) { return {}; }
  // Returns the traffic of the last run, for units with their own memory.
  virtual Traffic traffic() const { return {}; }
  // Starts the program. Asynchronous units return immediately unless the submitter waits; other units return after
  // completion. The memory of `bindings` stays valid until the event is signalled. A failure to start is also reported
  // through the event.
  virtual void submit(const Submission& submission) = 0;

  // Ends the submission of `generation` with kCancelled if it is not complete. May be called from any thread. Units
  // that complete before submit() returns need not implement it.
  virtual void cancel(uint64_t /*generation*/) {}

  // One line per operator for `nestrt info`: the kernel that will run it.
  struct KernelChoice {
    uint32_t operator_index;
    std::string_view kernel;
    bool repacked;
    // Computed a few rows at a time together with the next operator; the result is never complete in memory.
    bool is_row_fused = false;
  };
  virtual std::vector<KernelChoice> kernel_choices() const { return {}; }
};

// Submits and waits for completion. Sets the submission's completion and generation.
Status run(Executable& executable, Submission submission);

// A device that executes programs.
//
// Threading: units are shared between sessions and may be used from several threads.
class Unit {
 public:
  virtual ~Unit() = default;
  virtual const UnitInfo& info() const = 0;
  // Verifies the program completely (operator rules, instructions) and prepares it to run.
  // Errors: kInvalidPlan, kIncompatible, kUnsupported, kOutOfMemory; kInvalidArgument if it cannot compute the
  // requested channels alone.
  virtual Result<std::unique_ptr<Executable>> prepare(const BranchSpec& branch) = 0;
  // Returns the kernels that a session may choose from, for each operator that has several: the compiler's choice
  // first. The specification must cover a whole branch.
  virtual std::vector<KernelOption> kernel_options(const BranchSpec& /*branch*/) { return {}; }
  // Allocates memory for activations that the unit's programs access in place. Returns null if the unit has no such
  // memory and copies data instead. Errors: kOutOfMemory.
  virtual Result<std::shared_ptr<HostVisibleMemory>> allocate_shared(uint64_t /*bytes*/) {
    return std::shared_ptr<HostVisibleMemory>();
  }
  // Returns the interface of a host, or null if UnitInfo::is_host is false.
  virtual Host* host() { return nullptr; }
  // Stops all running programs and waits until their submissions have ended with kCancelled.
  virtual Status reset() { return {}; }
  // Tests whether the unit works. If so, a unit quarantined after a failure returns to service.
  // Errors: kUnavailable.
  virtual Status probe() { return {}; }
};

// The units of a session, in order of preference. The host always has the lowest preference, wherever it is in the
// list.
using UnitList = std::vector<std::shared_ptr<Unit>>;

}  // namespace nestrt
