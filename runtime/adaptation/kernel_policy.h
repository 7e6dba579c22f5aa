// SPDX-License-Identifier: Apache-2.0
// KernelPolicy: decides which of several kernels runs an operator on the host, based on the statistics of a session's
// runs. The caller measures, prepares and swaps kernels, as for SchedulePolicy.
//
// Exploration tries unmeasured kernels in a few runs, in many branches at the same time, because each branch is timed
// separately. An operator's share of its branch's time is estimated from its arithmetic. A faster kernel is adopted,
// and rolled back if the following runs do not confirm the gain. An exploration starts only when the budget
// (kExplorationFraction) covers its cost, assuming that the new kernel takes twice as long as the current one. Times
// are compared relative to the host's other steps in the same runs, so that a change of the host's speed is not
// attributed to a kernel.
//
// Pure: no clock, no threads, no units. Threads: one at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "nestrt/driver/costs.h"
#include "nestrt/driver/schedule.h"
#include "nestrt/session.h"
#include "runtime/adaptation/exploration.h"
#include "runtime/adaptation/run_statistics.h"
#include "runtime/execution/executables.h"
#include "runtime/kernel/kernel.h"

namespace nestrt {

// An operator of the plan for which the host has several kernels.
struct OperatorKernels {
  struct Kernel {
    uint32_t number = 0;  // as in BranchSpec::kernels
    std::string name;
  };
  uint32_t op = 0;
  std::vector<Kernel> kernels;  // the compiler's choice first
};

// Returns the operators of the plan for which `choice` permits several kernels on this host.
std::vector<OperatorKernels> kernels_to_choose_from(const std::shared_ptr<const Plan>& plan, Unit& host,
                                                    KernelChoice choice);

class KernelPolicy {
 public:
  // Limit on exploration time: a fraction of all run time, plus the time of this many runs initially.
  static constexpr double kExplorationFraction = 0.005, kInitialExplorationRuns = 1;
  static constexpr uint32_t kExploringRuns = 3;

  // `host` is unit `host_index` of the schedules. Starts with the kernels that are fastest according to the measured
  // costs in `known`. The plan must outlive this object.
  KernelPolicy(const Plan& plan, const UnitInfo& host, uint32_t host_index, std::vector<OperatorKernels> operators,
               const CostTable& known);

  enum class Move : uint8_t {
    kStay,     // keep the kernels in use
    kExplore,  // use explored() for kExploringRuns, then return to the kernels in use
    kAdopt,    // use in_use(), which has changed
  };
  // Counts the runs of the schedule in use. Call it before each decision about that schedule, including those of
  // SchedulePolicy.
  void count(const RunStatistics& statistics);
  // Must be called when the statistics of the schedule in use restart at zero.
  void restart();
  // Decides based on the statistics of the schedule in use.
  Move decide(const Schedule& schedule, const RunStatistics& statistics);
  // Decides based on the statistics of the exploring runs of the same schedule.
  Move end_exploring(const Schedule& schedule, const RunStatistics& statistics);
  // Reverts the last move if it could not be carried out.
  void undo();

  const KernelNumbers& in_use() const { return in_use_; }
  const KernelNumbers& explored() const { return explored_; }
  // Returns, after kAdopt, the operators whose cost has changed and the factor of the change.
  std::span<const std::pair<uint32_t, double>> changes() const { return changes_; }

  const Due& due() const { return due_; }

  // Returns the measured costs of kernels.
  const CostTable& costs() const { return costs_; }
  bool has_learned() const { return has_learned_; }

 private:
  struct Operator {
    uint32_t op = 0, branch = 0;
    double share = 1;  // estimated fraction of the time of its branch
    std::vector<OperatorKernels::Kernel> kernels;
    size_t in_use = 0;               // index in `kernels`
    std::vector<bool> is_measured;   // per kernel, since measurements last expired
    std::optional<size_t> explored;  // index in `kernels`, during exploration
    std::optional<size_t> before;    // index in `kernels` of the previous one, while the one in use is on trial
  };
  // Per branch, the time of its steps on the host in us.
  using BranchTimes = std::vector<double>;

  enum class Runs : uint8_t { kAll, kRecent };  // kRecent: the last RunStatistics::kRecent
  BranchTimes times_of(const Schedule& schedule, const RunStatistics& statistics, Runs which) const;
  double slowdown(const BranchTimes& before, const BranchTimes& now, std::optional<size_t> Operator::*changed) const;
  double own_us(const Operator& op, const BranchTimes& times) const;
  bool explore(const BranchTimes& times);
  Move judge(const BranchTimes& times);
  void record_cost(const Operator& op, size_t kernel, double microseconds);
  void use(Operator& op, size_t kernel, double factor);
  std::optional<size_t> next_kernel(const Operator& op) const;
  bool has_kernels_to_try() const;
  void plan_next(const RunStatistics& statistics, const BranchTimes& times);
  void expire_measurements();

  const Plan& plan_;
  const UnitKey host_;
  const uint32_t host_index_;
  std::vector<Operator> operators_;
  CostTable costs_;
  bool has_learned_ = false;

  KernelNumbers in_use_, explored_;
  std::vector<std::pair<uint32_t, double>> changes_;
  BranchTimes before_;  // at the start of the last exploration
  double makespan_before_ = 0;
  bool is_on_trial_ = false;  // the last adopted kernels have not yet proved better

  ExplorationBudget budget_{kExplorationFraction};
  Backoff remeasure_;
  uint64_t remeasure_run_;  // the run at which all measurements expire
  Due due_;
};

// Returns null if there is no choice of kernels or nothing to learn from.
std::unique_ptr<KernelPolicy> make_kernel_policy(const std::shared_ptr<const Plan>& plan, const UnitList& units,
                                                 std::span<const UnitInfo> infos, const SessionOptions& options,
                                                 const CostTable& costs);

}  // namespace nestrt
