// PreparedSchedule: a schedule with everything it needs to run: its programs on their units, their substitutes on the
// CPU, scratch memory of each lane, and the state of each step.
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

// Bytes of a buffer that a step writes: `count` times `size`, at distances of `stride`. What lies between is
// padding.
struct WrittenBytes {
  uint32_t buffer = 0;
  uint64_t offset = 0;
  uint64_t size = 0;
  uint64_t count = 1;
  uint64_t stride = 0;
};

struct PreparedStep {
  uint32_t index = 0;  // in the schedule
  Step step;
  uint32_t unit = 0;
  size_t thread = 0;  // 0: the lane is in the caller's sections; else it is number thread - 1 of unit_lanes()
  bool on_host = true;
  bool is_exact = true;    // computes what the host would, to the bit: vendors' programs do not
  double use_us = 0;       // predicted, from its begin until its lane waits for another
  double unit_us = 0;      // costs that were measured, of its unit, where that is steady; 0: not known
  double host_us = 0;      // predicted, of the host, where it runs elsewhere; 0: not known
  bool is_steady = false;  // UnitInfo::is_steady
  int share = 0;           // which of the host's threads, where lanes of the host work side by side
  std::shared_ptr<Executable> executable;
  std::shared_ptr<Executable> fallback;  // on the host, where it runs elsewhere; null without a host
  std::vector<WrittenBytes> results;     // where it runs elsewhere
  std::vector<uint32_t> whole_results;   // buffers that it writes all of, where it runs elsewhere

  // While it runs.
  Event completion;                   // where it runs elsewhere
  std::atomic<uint64_t> done{0};      // the last run in which it is over
  std::atomic<float> measured_us{0};  // mean of the last runs; 0: none yet
  std::atomic<float> last_us{0};      // of the last run; 0: something else was done than in others
  std::atomic<float> fallback_us{0};  // the same of the host, where it runs elsewhere
  double rest_us = 0;                 // what runs with a deadline compute after it, on the host, as far as it is known

  StepTimes times() const;
  // On the host, wherever the schedule has it; 0: not known.
  double on_host_us() const;
};

struct PreparedLane {
  std::vector<PreparedStep*> steps;
  AlignedMemory scratch;
};

// Steps of the host that no step with all of its threads lies between: lanes side by side, or one lane alone.
struct Section {
  bool shares_cores = false;
  std::vector<PreparedStep*> steps;               // in the order of the schedule
  std::vector<std::vector<PreparedStep*>> lanes;  // the same by share
};

class PreparedSchedule {
 public:
  // With the host's kernels that `kernels` says. Requires: check_schedule() accepts the schedule. Errors: those of
  // Unit::prepare, kOutOfMemory.
  static Result<std::unique_ptr<PreparedSchedule>> create(const Plan& plan, const UnitList& units, Schedule schedule,
                                                          Executables& executables, KernelNumbers kernels = {});

  // What steps beside the host cost there, as far as `measured` knows, and what they would cost on the host.
  void set_costs(const Plan& plan, const UnitList& units, const CostTable& costs, const CostTable& measured);
  // For a run with a deadline, before it begins. Returns what the host alone would take, as far as it is known.
  SteadyClock::duration update_rest_times();

  const Schedule& schedule() const { return schedule_; }
  const KernelNumbers& kernels() const { return kernels_; }
  // Whether it runs on the caller's thread, one step after the other.
  bool is_file_order() const { return is_file_order_; }
  std::deque<PreparedStep>& steps() { return steps_; }
  const std::deque<PreparedStep>& steps() const { return steps_; }
  std::vector<PreparedLane>& lanes() { return lanes_; }
  // What the caller runs, section by section: the lanes of the host, or, without one, lane 0.
  const std::vector<Section>& sections() const { return sections_; }
  // Whether lanes of the host are side by side.
  bool shares_cores() const;
  // The other lanes; each needs a thread.
  const std::vector<uint32_t>& unit_lanes() const { return unit_lanes_; }
  Host* host() const { return host_; }  // null where lane 0 is of another unit
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
  std::vector<size_t> thread_of_;  // by lane
  std::deque<PreparedStep> steps_;
  std::vector<PreparedLane> lanes_;
  std::vector<Section> sections_;
  std::vector<uint32_t> unit_lanes_;
};

}  // namespace nestrt
