// SPDX-License-Identifier: Apache-2.0
// PreparedSchedule: a schedule that is ready to run. Contains programs prepared on their units, fallback programs for
// the host, scratch memory per lane, and the state of each step.
#pragma once

#include <atomic>
#include <deque>
#include <memory>
#include <vector>

#include "nestrt/driver/event.h"
#include "nestrt/driver/schedule.h"
#include "runtime/execution/executables.h"
#include "runtime/execution/step_timeout.h"
#include "runtime/platform/aligned_memory.h"

namespace nestrt {

// Bytes of a buffer that a step writes: `count` blocks of `size` bytes with a stride of `stride` bytes. The gaps are
// padding.
struct WrittenBytes {
  uint32_t buffer = 0;
  uint64_t offset = 0;
  uint64_t size = 0;
  uint64_t count = 1;
  uint64_t stride = 0;
};

struct PreparedStep {
  uint32_t index = 0;  // index in the schedule
  Step step;
  uint32_t unit = 0;
  size_t thread = 0;  // 0: the lane belongs to the caller's sections; otherwise 1 + its index in unit_lanes()
  bool on_host = true;
  bool is_exact = true;    // bit-identical to the host; not guaranteed for programs of external compilers
  double use_us = 0;       // predicted time from the start of the step until its lane waits for another
  double unit_us = 0;      // measured cost on its unit, if that is steady; 0: unknown
  double host_us = 0;      // for a step of another unit: predicted cost on the host; 0: unknown
  bool is_steady = false;  // UnitInfo::is_steady
  int share = 0;           // index of the host thread, if lanes of the host run concurrently
  std::shared_ptr<Executable> executable;
  std::shared_ptr<Executable> fallback;  // on the host, for a step of another unit; null without a host
  std::vector<WrittenBytes> results;     // for a step of another unit
  std::vector<uint32_t> whole_results;   // buffers that a step of another unit writes completely

  // State during runs.
  Event completion;                   // for a step of another unit
  std::atomic<uint64_t> done{0};      // number of the last run in which the step ended
  std::atomic<float> measured_us{0};  // exponential mean over the last runs; 0: not measured yet
  std::atomic<float> last_us{0};      // time in the last run; 0: not representative
  std::atomic<float> fallback_us{0};  // for a step of another unit: exponential mean on the host
  double rest_us = 0;                 // known time that later steps need on the host; set by runs with a deadline

  StepTimes times() const;
  // Returns the time of the step on the host, regardless of the unit that runs it; 0 if unknown.
  double on_host_us() const;
};

struct PreparedLane {
  std::vector<PreparedStep*> steps;
  AlignedMemory scratch;
};

// Consecutive steps of the host, not separated by a step that uses all of its threads: either several concurrent lanes
// or one lane.
struct Section {
  bool shares_cores = false;
  std::vector<PreparedStep*> steps;               // in the order of the schedule
  std::vector<std::vector<PreparedStep*>> lanes;  // the same steps, per share
};

class PreparedSchedule {
 public:
  // Prepares the host's steps with `kernels`. Requires: check_schedule() accepts the schedule. Errors: as for
  // Unit::prepare; kOutOfMemory.
  static Result<std::unique_ptr<PreparedSchedule>> create(const Plan& plan, const UnitList& units, Schedule schedule,
                                                          Executables& executables, KernelNumbers kernels = {});

  // Sets the costs of accelerator steps: on their unit from `measured`, and on the host from `costs`.
  void set_costs(const Plan& plan, const UnitList& units, const CostTable& costs, const CostTable& measured);
  // Updates PreparedStep::rest_us before a run with a deadline. Returns the known time of the whole run on the host
  // alone.
  SteadyClock::duration update_rest_times();

  const Schedule& schedule() const { return schedule_; }
  const KernelNumbers& kernels() const { return kernels_; }
  // Returns whether all steps run sequentially on the caller's thread.
  bool is_file_order() const { return is_file_order_; }
  std::deque<PreparedStep>& steps() { return steps_; }
  const std::deque<PreparedStep>& steps() const { return steps_; }
  std::vector<PreparedLane>& lanes() { return lanes_; }
  // Returns the sections run by the caller: the lanes of the host or, without a host, lane 0.
  const std::vector<Section>& sections() const { return sections_; }
  // Returns whether lanes of the host run concurrently.
  bool shares_cores() const;
  // Returns the remaining lanes, each of which needs a thread.
  const std::vector<uint32_t>& unit_lanes() const { return unit_lanes_; }
  Host* host() const { return host_; }  // null if lane 0 belongs to another unit
  size_t scratch_bytes() const;

 private:
  PreparedSchedule(Schedule schedule, KernelNumbers kernels);
  void find_threads(const UnitList& units);
  void add_to_section(PreparedStep& step);
  void predict_unit_use();
  Status prepare_step(const Plan& plan, const UnitList& units, PreparedStep& step, Executables& executables);
  Status allocate_scratch();

  const Schedule schedule_;
  const KernelNumbers kernels_;
  const bool is_file_order_;
  Host* host_ = nullptr;
  std::vector<size_t> thread_of_;  // per lane
  std::deque<PreparedStep> steps_;
  std::vector<PreparedLane> lanes_;
  std::vector<Section> sections_;
  std::vector<uint32_t> unit_lanes_;
};

}  // namespace nestrt
