// Unit: something that executes programs: the CPU pool, one EVTA instance, one U280 core. The interface between the
// runtime, which schedules, and drivers/, which make units available.
//
// A unit describes itself, prepares a program once for a session, and then runs it any number of times. Every unit is
// interchangeable for the branches it accepts: placement never changes a bit of a quantized result.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "nestrt/driver/channel_range.h"
#include "nestrt/driver/event.h"
#include "nestrt/driver/function_ref.h"
#include "nestrt/driver/kernel.h"
#include "nestrt/driver/visibility.h"
#include "nestrt/plan.h"
#include "nestrt/result.h"

namespace NESTRT_PUBLIC nestrt {

class Host;
struct CoreShare;

// One unit of a session may be its host: the machine's own cores, where the caller's threads run.
struct UnitInfo {
  std::string kind;           // "cpu", "evta", ...: matches plan::Program.unit
  std::string name;           // "cpu", "evta0", ...: unique within a session
  std::string configuration;  // "neon", "1x16_15_15_18_17", ...: programs and measured costs are bound to it
  int num_threads = 1;
  // Runs the kernels of branches, which all but those of another compiler have, and what other units fail to compute.
  bool is_host = false;
  // A program takes about as long each time: what was measured of it says when the unit hangs.
  bool is_steady = true;
  // Of the session's plan, programs of another compiler that the unit does not take: the host computes their branches.
  std::vector<const plan::Program*> refused{};
};

// A branch of a plan as a unit sees it. Everything outlives the executables prepared from it.
struct BranchSpec {
  std::shared_ptr<const Plan> plan;
  uint32_t branch = 0;  // index in plan::Tables.branches
  const plan::Program* program = nullptr;
  // Channels of the branch's only operator. A program of instructions computes what it was made for
  // (plan::Program.channels); kernels compute any part of operators that can be divided
  // (runtime/plan/queries/channels.h).
  ChannelRange channels = {};
  // Of a program of kernels, by operator of the branch: 0 for the compiler's choice, else the position of another one
  // among KernelSelection::alternatives, counted from 1. Empty: the compiler's everywhere. Needed by prepare() alone.
  std::span<const uint32_t> kernels = {};
};

// A kernel of a program that may take the place of the compiler's choice.
struct KernelOption {
  uint32_t op = 0;         // position in the branch
  uint32_t number = 0;     // as BranchSpec::kernels; 0: the compiler's choice itself
  std::string_view name;   // "conv.s8.direct16"
  bool same_bits = false;  // as the compiler's choice, whatever the data
};

// The memory of one run: the address of every buffer of the plan, by buffer index. Constants point into the plan.
struct Bindings {
  std::span<std::byte* const> buffers;
  std::byte* scratch = nullptr;  // at least Executable::scratch_bytes(), aligned to 64
};

// Memory that the host and a unit both reach: the unit's programs read and write tensors where they are. Between
// submissions the host sees all that was written there. Goes back with the last reference.
class HostVisibleMemory {
 public:
  virtual ~HostVisibleMemory() = default;
  virtual std::span<std::byte> bytes() const = 0;  // aligned to 64
  // False from when a program failed and the unit could not be stopped: it may write there at any time.
  virtual bool is_safe() const = 0;
};

// Bytes that a run of a program has moved.
struct Traffic {
  uint64_t copied = 0;       // from or to memory that the unit does not reach
  uint64_t handed_over = 0;  // between host and unit, in memory that both reach: of caches, or over a bus
};

// What a submission goes through on a unit with memory of its own.
enum class Phase : uint8_t { kTransferIn, kRun, kTransferOut };

// A step of a schedule as it was executed. Its lane was ready for it at `ready` and waited for others until `start`.
struct StepRecord {
  uint32_t step = 0;
  uint32_t branch = 0;
  uint32_t lane = 0;
  uint32_t unit = 0;  // that the schedule gives it to, by its place among the session's
  SteadyClock::time_point ready, start, end;
  bool healed = false;  // computed by the host because the unit had failed
};

// Told of a run as it happens; for profiles and traces. Called on the running threads, several at once where units
// work side by side; must not block or allocate. Where there is one, every operator computes all of its result, also
// those that are else computed in turns with others, which never write what is between them.
class RunObserver {
 public:
  using Time = SteadyClock::time_point;
  virtual ~RunObserver() = default;
  // Once for each operator that a submission has computed, or has computed its part of.
  virtual void operator_done(uint32_t operator_index, Time start, Time end) = 0;
  virtual void phase_done(uint32_t /*operator_index: the first of the branch*/, Phase, Time /*start*/, Time /*end*/) {}
  virtual void step_done(const StepRecord&) {}
};

struct Submission {
  Bindings bindings;
  Deadline deadline = kNoDeadline;       // later nobody wants the result: it ends with kDeadlineExceeded
  Deadline unit_deadline = kNoDeadline;  // for a unit beside the host: likewise, and the unit has failed
  // The same from when the unit begins with it: others may be before it. A unit may go by the deadlines alone.
  std::chrono::nanoseconds unit_limit = std::chrono::nanoseconds::max();
  bool urgent = false;           // before others that wait for the unit, which also go by `deadline`
  bool submitter_waits = false;  // for the completion and nothing else: the unit may work on its thread
  RunObserver* observer = nullptr;
  const CoreShare* cores = nullptr;  // the host's that may work on it; null: all
  // By buffer: who wrote all of it in this run, as `writer` has it; 0: the host, several, or it is not known. Empty: of
  // none it is known.
  std::span<const uint8_t> writers = {};
  uint8_t writer = 0;  // the unit itself; 0: unknown
  // Results are compared: what lies where they go reaches the unit first, so that bytes which it does not write show.
  bool is_checked = false;
  const std::atomic<bool>* cancelled = nullptr;  // ends with kCancelled between operators where it becomes true
  Event* completion = nullptr;                   // armed by the submitter; the unit signals `generation` exactly once
  uint64_t generation = 0;

  // The unit's deadline where it begins then.
  Deadline unit_deadline_from(SteadyClock::time_point begin) const {
    if (unit_deadline <= begin || unit_limit >= unit_deadline - begin) return unit_deadline;
    return begin + std::chrono::duration_cast<SteadyClock::duration>(unit_limit);
  }
  // Whether the unit itself wrote all of the buffer in this run.
  bool is_own_result(uint32_t buffer) const {
    return writer != 0 && buffer < writers.size() && writers[buffer] == writer;
  }
};

// A program prepared on a unit for a session. Threads: submit() from one thread at a time. The destructor stops what is
// not complete and waits until the unit touches neither its memory nor its completion, which need not be signalled.
class Executable {
 public:
  virtual ~Executable() = default;
  virtual size_t scratch_bytes() const = 0;
  // Weights that the executable holds in another packing than the plan's.
  virtual size_t repacked_bytes() const { return 0; }
  // Where the buffers of the runs to come lie, null for those that change: so that what takes memory or time is done
  // before. Runs with others are as right. Not while one is under way. Errors: those of Unit::prepare.
  virtual Status bind(std::span<std::byte* const> /*buffers*/) { return {}; }
  // Of the last run, on units with memory of their own.
  virtual Traffic traffic() const { return {}; }
  // Starts the program; returns at once on asynchronous units unless the submitter waits, after completion on others.
  // The memory of `bindings` stays valid until the event is signalled. A failure to start is signalled through the
  // event too.
  virtual void submit(const Submission& submission) = 0;

  // Ends the submission of that generation with kCancelled if it is not complete; from any thread. Nothing to do on
  // units that complete before submit() returns.
  virtual void cancel(uint64_t /*generation*/) {}

  // One line per operator for `info`: the kernel that will run it.
  struct KernelChoice {
    uint32_t operator_index;
    std::string_view kernel;
    bool repacked;
    bool is_row_fused =
        false;  // some rows of it, then of the next operator: its result is never whole, and not written
  };
  virtual std::vector<KernelChoice> kernel_choices() const { return {}; }
};

// Submits and waits until it is complete. Sets the submission's completion and generation itself.
Status run(Executable& executable, Submission submission);
// The same of whatever takes submissions and completes them.
Status run(Submission submission, FunctionRef<void(const Submission&)> submit);

class Unit {
 public:
  virtual ~Unit() = default;
  virtual const UnitInfo& info() const = 0;
  // Verifies the program completely (operator rules, instructions) and makes it ready to run.
  // Errors: kInvalidPlan, kIncompatible, kUnsupported, kOutOfMemory; kInvalidArgument for channels that it cannot
  // divide.
  virtual Result<std::unique_ptr<Executable>> prepare(const BranchSpec& branch) = 0;
  // Kernels among which a session may choose, of operators that it can run in several ways: for each of those the
  // compiler's choice first. Of a whole branch.
  virtual std::vector<KernelOption> kernel_options(const BranchSpec& /*branch*/) { return {}; }
  // So many bytes for activations, where its programs find them; null where it has none to lend: it copies what it
  // needs. Errors: kOutOfMemory.
  virtual Result<std::shared_ptr<HostVisibleMemory>> lend(uint64_t /*bytes*/) {
    return std::shared_ptr<HostVisibleMemory>();
  }
  // What only a host can do (nestrt/driver/host.h); null where UnitInfo::is_host is not set.
  virtual Host* host() { return nullptr; }
  // Stops whatever runs and waits; those submissions end with kCancelled before this returns.
  virtual Status reset() { return {}; }
  // Whether the unit works; a unit that was put into quarantine after a failure returns to service if it does.
  // Errors: kUnavailable.
  virtual Status probe() { return {}; }
};

// The units of a session, in order of preference; a session takes the host last, wherever it stands. Shared by
// sessions; units are safe to share between threads.
using UnitList = std::vector<std::shared_ptr<Unit>>;

}  // namespace nestrt
