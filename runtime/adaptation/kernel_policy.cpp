// SPDX-License-Identifier: Apache-2.0
#include "runtime/adaptation/kernel_policy.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>

#include "runtime/costs/unit_key.h"
#include "runtime/plan/queries/program_for.h"
#include "runtime/plan/queries/statistics.h"

namespace nestrt {
namespace {

// Number of runs that measure the kernels in use.
constexpr uint32_t kKernelTrialRuns = 8;
constexpr double kMinKernelSpeedup = 1.02;
// Limit on the factor by which measured times are corrected for the slowdown of the host's other steps.
constexpr double kMaxSlowdown = 4;
// Number of runs until all kernels are measured again: initial value and maximum.
constexpr uint64_t kInitialRemeasureRuns = 4096, kMaxRemeasureRuns = 65536;
constexpr uint32_t kNoRuns = std::numeric_limits<uint32_t>::max();
constexpr double kNeverDue = std::numeric_limits<double>::infinity();

// Returns the operator's share of the work of its branch.
double share_of(const plan::Tables& tables, uint32_t branch, uint32_t op) {
  uint64_t own = 0, all = 0;
  for (const uint32_t other : tables.branches[branch].operators) {
    const OperatorStatistics work = statistics(tables, tables.operators[other]);
    const uint64_t amount = work.macs + work.bytes();
    all += amount;
    if (other == op) own = amount;
  }
  return all > 0 ? static_cast<double>(own) / static_cast<double>(all) : 1;
}

std::vector<uint32_t> branch_of(const plan::Tables& tables) {
  std::vector<uint32_t> result(tables.operators.size(), 0);
  for (uint32_t branch = 0; branch < tables.branches.size(); ++branch)
    for (const uint32_t op : tables.branches[branch].operators) result[op] = branch;
  return result;
}

}  // namespace

std::vector<OperatorKernels> kernels_to_choose_from(const std::shared_ptr<const Plan>& plan, Unit& host,
                                                    KernelChoice choice) {
  std::vector<OperatorKernels> result;
  if (choice == KernelChoice::kCompiler) return result;
  const plan::Tables& tables = plan->tables();
  for (uint32_t branch = 0; branch < tables.branches.size(); ++branch) {
    const plan::Program* const program = program_for(tables.branches[branch], host.info());
    if (program == nullptr || program->kind != plan::ProgramKind::kKernels) continue;
    std::optional<uint32_t> last;
    for (const KernelOption& option : host.kernel_options({plan, branch, program})) {
      const bool is_first = option.number == 0;
      if (!is_first && choice == KernelChoice::kSameBits && !option.same_bits) continue;
      if (is_first || last != option.op) result.push_back({tables.branches[branch].operators[option.op], {}});
      last = option.op;
      result.back().kernels.push_back({option.number, std::string(option.name)});
    }
  }
  std::erase_if(result, [](const OperatorKernels& op) { return op.kernels.size() < 2; });
  return result;
}

KernelPolicy::KernelPolicy(const Plan& plan, const UnitInfo& host, uint32_t host_index,
                           std::vector<OperatorKernels> operators, const CostTable& known)
    : plan_(plan),
      host_(key_of(host)),
      host_index_(host_index),
      in_use_(plan.tables().operators.size(), 0),
      remeasure_(kInitialRemeasureRuns, kMaxRemeasureRuns),
      remeasure_run_(kInitialRemeasureRuns) {
  if (!operators.empty()) due_.runs = kKernelTrialRuns;
  const std::vector<uint32_t> branches = branch_of(plan.tables());
  for (OperatorKernels& kernels : operators) {
    const uint32_t branch = branches[kernels.op];
    Operator& op = operators_.emplace_back();
    op.op = kernels.op;
    op.branch = branch;
    op.share = share_of(plan.tables(), branch, kernels.op);
    op.kernels = std::move(kernels.kernels);
    op.is_measured.resize(op.kernels.size());
    double least = kNeverDue;
    for (size_t i = 0; i < op.kernels.size(); ++i) {
      const std::string work = kernel_work_name(plan, op.op, host_, op.kernels[i].name);
      const WorkCost* const cost = known.find(host_, work);
      op.is_measured[i] = cost != nullptr && cost->source == CostSource::kMeasured;
      if (!op.is_measured[i]) continue;
      costs_.set(host_, work, *cost);
      if (cost->microseconds >= least) continue;
      least = cost->microseconds;
      op.in_use = i;
    }
    // The costs of other kernels are meaningful only in comparison with the cost of the compiler's choice.
    if (!op.is_measured[0]) op.in_use = 0;
    in_use_[op.op] = op.kernels[op.in_use].number;
  }
}

// --- Times -----------------------------------------------------------------------------------------------------------

// Adds up the times of the concurrent slices of a branch, which change together.
KernelPolicy::BranchTimes KernelPolicy::times_of(const Schedule& schedule, const RunStatistics& statistics,
                                                 Runs which) const {
  BranchTimes times(plan_.tables().branches.size(), 0);
  for (size_t index = 0; index < schedule.steps.size(); ++index)
    if (schedule.lanes[schedule.steps[index].lane].unit == host_index_)
      times[schedule.steps[index].branch] +=
          which == Runs::kRecent ? statistics.recent_us(index) : statistics.mean_us(index);
  return times;
}

// Returns the slowdown of the host branches whose kernels have not changed.
double KernelPolicy::slowdown(const BranchTimes& before, const BranchTimes& now,
                              std::optional<size_t> Operator::*changed) const {
  BranchTimes then = before, later = now;
  for (const Operator& op : operators_)
    if ((op.*changed).has_value()) then[op.branch] = later[op.branch] = 0;
  const double was = std::accumulate(then.begin(), then.end(), 0.0);
  const double is = std::accumulate(later.begin(), later.end(), 0.0);
  return was > 0 && is > 0 ? std::clamp(is / was, 1 / kMaxSlowdown, kMaxSlowdown) : 1;
}

double KernelPolicy::own_us(const Operator& op, const BranchTimes& times) const { return op.share * times[op.branch]; }

// --- Deciding --------------------------------------------------------------------------------------------------------

KernelPolicy::Move KernelPolicy::decide(const Schedule& schedule, const RunStatistics& statistics) {
  changes_.clear();
  const BranchTimes times = times_of(schedule, statistics, Runs::kAll);
  Move move = Move::kStay;
  if (statistics.runs() >= kKernelTrialRuns) {
    makespan_before_ = statistics.total_us() / statistics.runs();
    if (std::exchange(is_on_trial_, false)) move = judge(times);
    if (budget_.runs() >= remeasure_run_) expire_measurements();
    if (move == Move::kStay && explore(times)) move = Move::kExplore;
  }
  plan_next(statistics, times);
  if (move == Move::kAdopt) restart();
  return move;
}

void KernelPolicy::restart() {
  budget_.restart();
  due_ = {is_on_trial_ || has_kernels_to_try() ? kKernelTrialRuns : kNoRuns, kNeverDue};
}

void KernelPolicy::count(const RunStatistics& statistics) {
  if (budget_.runs() == 0 && statistics.runs() > 0)
    budget_.earn(kInitialExplorationRuns * statistics.total_us() / statistics.runs());
  budget_.count(statistics);
}

// Rolls back each kernel that is no faster than the previous one.
KernelPolicy::Move KernelPolicy::judge(const BranchTimes& times) {
  const double speed = slowdown(before_, times, &Operator::before);
  Move move = Move::kStay;
  for (Operator& op : operators_) {
    if (!op.before) continue;
    const size_t before = *std::exchange(op.before, std::nullopt);
    const double was = before_[op.branch] * speed, is = times[op.branch];
    if (was <= 0 || is <= 0) continue;
    record_cost(op, op.in_use, std::max(own_us(op, before_) * speed + is - was, 0.0));
    record_cost(op, before, own_us(op, before_) * speed);
    if (is < was) continue;
    use(op, before, was / is);
    move = Move::kAdopt;
  }
  return move;
}

// Starts with the slowest operators, because they offer the largest possible gain.
bool KernelPolicy::explore(const BranchTimes& times) {
  std::vector<Operator*> candidates;
  for (Operator& op : operators_)
    if (times[op.branch] > 0 && next_kernel(op)) candidates.push_back(&op);
  std::ranges::stable_sort(candidates, std::greater(), [&](const Operator* op) { return own_us(*op, times); });
  explored_ = in_use_;
  std::vector<bool> is_taken(times.size(), false);
  double left = budget_.left_us();
  for (Operator* const op : candidates) {
    const double assumed_loss = kExploringRuns * own_us(*op, times);
    if (is_taken[op->branch] || assumed_loss > left) continue;
    left -= assumed_loss;
    is_taken[op->branch] = true;
    op->explored = next_kernel(*op);
    explored_[op->op] = op->kernels[*op->explored].number;
  }
  before_ = times;
  return explored_ != in_use_;
}

KernelPolicy::Move KernelPolicy::end_exploring(const Schedule& schedule, const RunStatistics& statistics) {
  changes_.clear();
  budget_.charge(statistics.total_us() - statistics.runs() * makespan_before_);
  const BranchTimes times = times_of(schedule, statistics, Runs::kRecent);
  const double speed = slowdown(before_, times, &Operator::explored);
  Move move = Move::kStay;
  for (Operator& op : operators_) {
    if (!op.explored) continue;
    const size_t kernel = *std::exchange(op.explored, std::nullopt);
    const double was = before_[op.branch] * speed, is = times[op.branch];
    op.is_measured[kernel] = true;
    if (was <= 0 || is <= 0) continue;
    const double own = own_us(op, before_) * speed;
    record_cost(op, op.in_use, own);
    record_cost(op, kernel, std::max(own + is - was, 0.0));
    if (is * kMinKernelSpeedup >= was) continue;
    op.before = op.in_use;
    use(op, kernel, is / was);
    move = Move::kAdopt;
  }
  is_on_trial_ = move == Move::kAdopt;
  due_.runs = budget_.counted_runs() + 1;
  if (is_on_trial_) restart();
  return move;
}

void KernelPolicy::undo() {
  for (Operator& op : operators_) {
    if (op.explored) op.is_measured[*std::exchange(op.explored, std::nullopt)] = true;  // a retry would fail again
    if (!op.before) continue;
    op.in_use = *std::exchange(op.before, std::nullopt);
    in_use_[op.op] = op.kernels[op.in_use].number;
  }
  is_on_trial_ = false;
  changes_.clear();
}

void KernelPolicy::record_cost(const Operator& op, size_t kernel, double microseconds) {
  has_learned_ = true;
  costs_.set(host_, kernel_work_name(plan_, op.op, host_, op.kernels[kernel].name),
             {microseconds, CostSource::kMeasured});
}

void KernelPolicy::use(Operator& op, size_t kernel, double factor) {
  op.in_use = kernel;
  in_use_[op.op] = op.kernels[kernel].number;
  changes_.emplace_back(op.op, factor);
}

std::optional<size_t> KernelPolicy::next_kernel(const Operator& op) const {
  for (size_t i = 0; i < op.kernels.size(); ++i)
    if (i != op.in_use && !op.is_measured[i]) return i;
  return std::nullopt;
}

bool KernelPolicy::has_kernels_to_try() const {
  return budget_.runs() >= remeasure_run_ ||
         std::ranges::any_of(operators_, [&](const Operator& op) { return next_kernel(op).has_value(); });
}

void KernelPolicy::expire_measurements() {
  remeasure_.lengthen();
  remeasure_run_ = budget_.runs() + remeasure_.runs();
  for (Operator& op : operators_) op.is_measured.assign(op.kernels.size(), false);
}

// Plans the next exploration, which is due when the budget covers the cheapest candidate.
void KernelPolicy::plan_next(const RunStatistics& statistics, const BranchTimes& times) {
  due_ = {kKernelTrialRuns, kNeverDue};
  if (statistics.runs() < kKernelTrialRuns || is_on_trial_) return;
  due_.runs = static_cast<uint32_t>(std::min<uint64_t>(statistics.runs() + remeasure_run_ - budget_.runs(), kNoRuns));
  double least = kNeverDue;
  for (const Operator& op : operators_)
    if (times[op.branch] > 0 && next_kernel(op)) least = std::min(least, own_us(op, times));
  due_.us = statistics.total_us() + budget_.earning_us(kExploringRuns * least);
}

std::unique_ptr<KernelPolicy> make_kernel_policy(const std::shared_ptr<const Plan>& plan, const UnitList& units,
                                                 std::span<const UnitInfo> infos, const SessionOptions& options,
                                                 const CostTable& costs) {
  const auto host = std::ranges::find_if(infos, &UnitInfo::is_host);
  const bool learns = options.adaptation.drift > 0 && options.costs.measure != Measuring::kNever;
  if (!learns || options.fault_tolerance.check_every == 1 || host == infos.end()) return nullptr;
  const auto index = static_cast<uint32_t>(host - infos.begin());
  std::vector<OperatorKernels> operators = kernels_to_choose_from(plan, *units[index], options.adaptation.kernels);
  if (operators.empty()) return nullptr;
  return std::make_unique<KernelPolicy>(*plan, *host, index, std::move(operators), costs);
}

}  // namespace nestrt
