// KernelPolicy: which of several kernels computes an operator on the host, from what a session's runs have shown. It
// decides; others measure, prepare and swap, as with schedules (schedule_policy.h).
//
// Kernels that were not measured are tried in a few runs, those of many branches at once, as each branch is timed by
// itself; what of the time the branch's other operators take is supposed by their arithmetic. One that was faster stays
// in use, if the runs that follow agree; else the one before is taken back. What a trial may cost is saved up before
// (kExploring), supposing that a kernel takes twice as long as the one in use. Times are set beside those of the host's
// other steps in the same runs, so that a change of its speed is not taken for one of a kernel.
//
// Pure: no clock, no threads, no units. Threads: one at a time.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "nestrt/driver/costs.h"
#include "nestrt/driver/schedule.h"
#include "nestrt/session.h"
#include "runtime/adaptation/run_statistics.h"
#include "runtime/execution/executables.h"
#include "runtime/kernel/kernel.h"

namespace nestrt {

// An operator of the plan that the host can compute by several kernels.
struct OperatorKernels {
  struct Kernel {
    uint32_t number = 0;  // as BranchSpec::kernels
    std::string name;
  };
  uint32_t op = 0;
  std::vector<Kernel> kernels;  // the compiler's choice first
};

// Those that a session with the option has, of the plan's branches on this host.
std::vector<OperatorKernels> kernels_to_choose_from(const std::shared_ptr<const Plan>& plan, Unit& host,
                                                    KernelChoice choice);

class KernelPolicy {
 public:
  // The most of all time that trials may cost, beside so many inferences once.
  static constexpr double kExploring = 0.005, kExploringAtFirst = 1;
  static constexpr uint32_t kExploringRuns = 3;

  // `host` is unit number `host_index` of the schedules. Of what `known` says are measured costs, the kernels that took
  // least are in use at first. The plan outlives this.
  KernelPolicy(const Plan& plan, const UnitInfo& host, uint32_t host_index, std::vector<OperatorKernels> operators,
               const CostTable& known);

  enum class Move : uint8_t {
    kStay,     // with the kernels in use
    kExplore,  // those of explored(), for kExploringRuns; then those in use again
    kAdopt,    // others from now on
  };
  // What has run so far, of the schedule in use: before every decision about it, whoever makes it.
  void count(const RunStatistics& statistics);
  // Statistics of the schedule in use begin anew.
  void restart();
  // With what was measured of the schedule in use.
  Move decide(const Schedule& schedule, const RunStatistics& statistics);
  // With what was measured of the runs that explored, of the same schedule.
  Move end_exploring(const Schedule& schedule, const RunStatistics& statistics);
  // The last move could not be made.
  void undo();

  const KernelNumbers& in_use() const { return in_use_; }
  const KernelNumbers& explored() const { return explored_; }
  // After kAdopt: operators of which the cost has changed, and by which factor.
  std::span<const std::pair<uint32_t, double>> changes() const { return changes_; }

  // When decide() is to be asked next: after so many runs in all of the schedule in use, or as soon as they have taken
  // so long.
  uint32_t due_runs() const { return due_runs_; }
  double due_us() const { return due_us_; }

  // Of kernels, as far as they were measured.
  const CostTable& costs() const { return costs_; }
  bool has_learned() const { return has_learned_; }

 private:
  struct Operator {
    uint32_t op = 0, branch = 0;
    double share = 1;  // of its branch's time, supposed
    std::vector<OperatorKernels::Kernel> kernels;
    size_t in_use = 0;               // in `kernels`
    std::vector<bool> is_measured;   // by kernel, since they were last to be measured again
    std::optional<size_t> explored;  // in `kernels`, while it is tried
    // Of one that was adopted a few runs ago.
    std::optional<size_t> before;
  };
  // Of the host's steps of each branch in one schedule.
  using BranchTimes = std::vector<double>;

  BranchTimes times_of(const Schedule& schedule, const RunStatistics& statistics, bool is_short) const;
  double slowdown(const BranchTimes& before, const BranchTimes& now, std::optional<size_t> Operator::*touched) const;
  double own_us(const Operator& op, const BranchTimes& times) const;
  bool explore(const BranchTimes& times);
  Move judge(const BranchTimes& times);
  void note(const Operator& op, size_t kernel, double microseconds);
  void use(Operator& op, size_t kernel, double factor);
  std::optional<size_t> next_kernel(const Operator& op) const;
  bool has_kernels_to_try() const;
  void plan_next(const RunStatistics& statistics, const BranchTimes& times);
  void measure_all_again();

  const Plan& plan_;
  const UnitKey host_;
  const uint32_t host_index_;
  std::vector<Operator> operators_;
  CostTable costs_;
  bool has_learned_ = false;

  KernelNumbers in_use_, explored_;
  std::vector<std::pair<uint32_t, double>> changes_;
  BranchTimes before_;  // the last trial, or what was adopted last, began
  double makespan_before_ = 0;
  bool is_on_trial_ = false;  // it is open whether what was adopted is better

  std::optional<double> saved_us_;  // for trials; empty before the first runs were seen
  double counted_us_ = 0;           // of the statistics in use, that are in saved_us_
  uint32_t counted_runs_ = 0;
  uint64_t runs_ = 0, again_runs_ = 0, wait_runs_ = 0;
  uint32_t due_runs_ = 0;
  double due_us_ = std::numeric_limits<double>::infinity();
};

// Returns null if there is no choice of kernels or nothing to learn from.
std::unique_ptr<KernelPolicy> make_kernel_policy(const std::shared_ptr<const Plan>& plan, const UnitList& units,
                                                 std::span<const UnitInfo> infos, const SessionOptions& options,
                                                 const CostTable& costs);

}  // namespace nestrt
