#include "nestrt/session.h"

#include <fmt/core.h>

#include <algorithm>
#include <atomic>

#include "nestrt/driver/mutex.h"
#include "nestrt/log.h"
#include "runtime/adaptation/adaptation.h"
#include "runtime/adaptation/file_order.h"
#include "runtime/adaptation/first_schedule.h"
#include "runtime/adaptation/trial.h"
#include "runtime/concurrency/unit_demand.h"
#include "runtime/core/unit_infos.h"
#include "runtime/execution/arguments.h"
#include "runtime/execution/check_options.h"
#include "runtime/execution/check_schedule.h"
#include "runtime/execution/executor.h"
#include "runtime/execution/refused_programs.h"
#include "runtime/execution/working_units.h"
#include "runtime/plan/queries/program_for.h"
#include "runtime/plan/queries/run_memory.h"
#include "runtime/plan/verify/verify.h"
#include "runtime/platform/fork_origin.h"
#include "runtime/platform/guard.h"
#include "runtime/session/pipeline_session.h"
#include "runtime/session/shaped_session.h"

namespace nestrt {
namespace {

std::optional<size_t> position_of(std::string_view name, std::span<const TensorInfo> tensors) {
  for (size_t i = 0; i < tensors.size(); ++i)
    if (tensors[i].name == name) return i;
  return std::nullopt;
}

class SessionImpl final : public PipelineSession {
 public:
  SessionImpl(std::shared_ptr<const Plan> plan, UnitList units, const SessionOptions& options,
              PipelineSessionOptions turns)
      : plan_(std::move(plan)),
        units_(std::move(units)),
        options_(options),
        user_(units_, options_.urgent),
        executables_(plan_, units_),
        health_(units_),
        executor_({options.observer, limits(), options.urgent, options.clock, turns.turns}, health_),
        arguments_(*plan_),
        turns_(std::move(turns)) {}

  ~SessionImpl() override {
    if (adaptation_ != nullptr && !origin_.in_child()) adaptation_->keep_costs();
  }

  Status prepare() {
    const MutexLock lock(mutex_), current_lock(current_mutex_);
    NESTRT_RETURN_IF_ERROR(check_options(options_));
    NESTRT_RETURN_IF_ERROR(check_units());
    NESTRT_RETURN_IF_ERROR(check_signer());
    log_unused_units();
    infos_ = infos_with_refusals(plan_->tables(), units_, executables_);
    SessionOptions beside_others = options_;
    beside_others.schedule.others = user_.others();
    NESTRT_ASSIGN_OR_RETURN(FirstSchedule first, make_first_schedule(plan_, units_, infos_, beside_others, health_));
    NESTRT_RETURN_IF_ERROR(check_schedule(*plan_, unit_infos(units_), first.schedule));
    user_.wants(unit_shares(first.schedule, infos_));
    has_costs_ = first.has_costs;
    kernels_ = make_kernel_policy(first.costs);
    NESTRT_ASSIGN_OR_RETURN(
        current_, PreparedSchedule::create(*plan_, units_, std::move(first.schedule), executables_, first_kernels()));
    current_->set_costs(*plan_, units_, first.costs, first.measured);
    NESTRT_RETURN_IF_ERROR(allocate(units_));
    NESTRT_RETURN_IF_ERROR(try_schedule(first));
    NESTRT_RETURN_IF_ERROR(executor_.reserve_unit_lanes(most_unit_lanes()));
    report_repacking();
    return start_adaptation(std::move(first));
  }

  Status run(std::span<const ConstTensorView> inputs, std::span<const TensorView> outputs,
             const RunOptions& options) override {
    return run(inputs, outputs, options, 0);
  }

  Status run(std::span<const ConstTensorView> inputs, std::span<const TensorView> outputs, const RunOptions& options,
             uint64_t turn) override {
    NESTRT_RETURN_IF_ERROR(origin_.check("session"));
    const MutexLock lock(mutex_);
    NESTRT_RETURN_IF_ERROR(arguments_.check(inputs, outputs));
    PreparedSchedule& schedule = newest_schedule();
    const bool checks = options_.check_every > 0 && runs_++ % options_.check_every == 0;
    const Executor::Run run{&memory_, options.deadline, turn, checks};
    const SteadyClock::time_point start = now_by(options_.clock.get());
    user_.begin_run();
    const Status status = run_safely(schedule, run, inputs, outputs);
    user_.end_run();
    const std::chrono::duration<double, std::micro> makespan = now_by(options_.clock.get()) - start;
    if (adaptation_ != nullptr) adaptation_->run_ended(schedule, status.ok() ? makespan.count() : 0);
    return status;
  }

  void offer(const PreparedSchedule& schedule, const CostTable& costs, const CostTable& measured) override {
    auto made = guarded([&] {
      return PreparedSchedule::create(*plan_, units_, schedule.schedule(), executables_, schedule.kernels());
    });
    if (!made) return log(LogLevel::kWarning, fmt::format("the schedule stays as it is: {}", made.error().message()));
    (*made)->set_costs(*plan_, units_, costs, measured);
    executables_.keep_only(schedule.kernels());
    std::shared_ptr<PreparedSchedule> retired;  // goes without the lock
    const MutexLock lock(current_mutex_);
    retired = std::exchange(retired_, nullptr);
    offered_ = std::move(*made);
  }

  bool may_change() const override { return turns_.follows ? turns_.may_change : may_reschedule(); }
  KernelNumbers kernels() const override {
    const MutexLock lock(current_mutex_);
    return current_->kernels();
  }

  void cancel() override { executor_.cancel(); }
  uint64_t num_host_fallbacks() const override { return health_.healed(); }
  uint64_t reschedules() const override { return adaptation_ != nullptr ? adaptation_->swaps() : 0; }
  const Plan& plan() const override { return *plan_; }

  Schedule schedule() const override {
    const MutexLock lock(current_mutex_);
    return current_->schedule();
  }

  SessionMemory memory() const override {
    const MutexLock lock(current_mutex_);
    SessionMemory memory;
    memory.arena_bytes = arena_bytes_;
    memory.scratch_bytes = current_->scratch_bytes();
    memory.repacked_bytes = executables_.repacked_bytes();
    const Traffic traffic = executor_.traffic();
    memory.copied_bytes = traffic.copied;
    memory.shared_memory_bytes = traffic.handed_over;
    return memory;
  }

  std::vector<OperatorSummary> operators() const override {
    std::vector<OperatorSummary> summaries;
    for (const plan::Operator& op : plan_->tables().operators) {
      OperatorSummary& summary = summaries.emplace_back();
      summary.name = op.name;
      summary.kind = ops::name(op.kind());
    }
    const MutexLock lock(current_mutex_);
    for (const PreparedStep& step : current_->steps()) {
      for (const Executable::KernelChoice& choice : step.executable->kernel_choices()) {
        OperatorSummary& summary = summaries[choice.operator_index];
        summary.kernel = choice.kernel;
        summary.repacked |= choice.repacked;
        summary.is_row_fused |= choice.is_row_fused;
        add_unit(summary, units_[step.unit]->info().name);
      }
    }
    return summaries;
  }

 private:
  // Once, however many steps of the unit compute a part of the operator.
  static void add_unit(OperatorSummary& summary, const std::string& name) {
    const std::string known = "+" + summary.unit + "+";
    if (known.find("+" + name + "+") != std::string::npos) return;
    summary.unit += (summary.unit.empty() ? "" : "+") + name;
  }

  Status check_units() const {
    if (units_.empty()) return Status(Code::kInvalidArgument, "a session needs a unit; open_units(\"cpu\") gives one");
    for (auto unit = units_.begin(); unit != units_.end(); ++unit) {
      if (*unit == nullptr) return Status(Code::kInvalidArgument, "a unit of the session is null");
      const auto has_its_name = [&](const auto& other) { return other->info().name == (*unit)->info().name; };
      if (std::any_of(units_.begin(), unit, has_its_name))
        return Status(Code::kInvalidArgument, "two units of the session have the same name; give each unit once");
    }
    return {};
  }

  UnitLimits limits() const { return {options_.unit_timeout, options_.unit_limit_factor, options_.unit_limit_slack}; }

  Status check_signer() const {
    const auto& trusted = options_.trusted_keys;
    if (trusted.empty()) return {};
    if (plan_->signer() && std::find(trusted.begin(), trusted.end(), *plan_->signer()) != trusted.end()) return {};
    return Status(Code::kInvalidPlan,
                  "the session takes signed plans only, and this one was not loaded as signed with a "
                  "trusted key; load it with LoadOptions::trusted_keys");
  }

  void log_unused_units() const {
    for (const std::shared_ptr<Unit>& unit : units_) {
      if (unit->info().is_host || is_useful(plan_->tables(), unit->info())) continue;
      log(LogLevel::kWarning,
          fmt::format(
              "unit '{}' ({}) has nothing to do: the plan has no program for it; compile the model for it, quantized",
              unit->info().name, unit->info().configuration));
    }
  }

  // The most that this schedule, or one that may follow, has.
  size_t most_unit_lanes() const NESTRT_REQUIRES(current_mutex_) {
    const size_t lanes = current_->unit_lanes().size();
    return may_change() ? std::max(lanes, units_.size()) : lanes;
  }

  bool may_reschedule() const {
    return options_.reschedule_drift > 0 && options_.fixed_schedule == nullptr && has_costs_;
  }

  void report_repacking() const {
    const size_t bytes = executables_.repacked_bytes();
    if (bytes == 0) return;
    log(LogLevel::kInfo, fmt::format("{}: {} bytes of weights are packed for another CPU and were packed anew; a plan "
                                     "whose --target names this one, as zcu102,host, has them in place",
                                     plan_->tables().model_name, bytes));
  }

  // The memory plan for any schedule has been verified with the file only where that was verified completely.
  Result<const plan::MemoryPlan*> memory_plan() const NESTRT_REQUIRES(current_mutex_) {
    if (current_->is_file_order() && !may_change())
      return memory_plan_for(plan_->tables(), plan::MemoryPlanKind::kSequential);
    const plan::MemoryPlan* const any_schedule = memory_plan_for(plan_->tables(), plan::MemoryPlanKind::kAnySchedule);
    if (any_schedule == nullptr)
      return Status(Code::kIncompatible, "the plan has memory for branches one after the other only; compile it again");
    NESTRT_RETURN_IF_ERROR(verify_any_schedule(plan_->tables()));
    return any_schedule;
  }

  // The arena is of one of `lenders`, if it lends one, else the host's.
  Status allocate(const UnitList& lenders) NESTRT_REQUIRES(mutex_, current_mutex_) {
    NESTRT_ASSIGN_OR_RETURN(const plan::MemoryPlan* const memory, memory_plan());
    NESTRT_RETURN_IF_ERROR(memory_.allocate(*plan_, *memory, lenders));
    arena_bytes_ = memory_.arena().size();
    return executables_.bind(memory_.buffers());
  }

  // A unit that failed and could not be stopped may write to the memory that it has lent at any time. Then the run
  // begins again, in the host's.
  Status run_safely(PreparedSchedule& schedule, const Executor::Run& run, std::span<const ConstTensorView> inputs,
                    std::span<const TensorView> outputs) NESTRT_REQUIRES(mutex_) {
    if (!memory_.is_safe()) NESTRT_RETURN_IF_ERROR(leave_between_runs());
    memory_.bind(inputs, outputs);
    Status status = run_once(schedule, run);
    const bool is_over = status.code() == Code::kCancelled || status.code() == Code::kDeadlineExceeded;
    if (status.ok() || is_over || memory_.is_safe()) return status;
    NESTRT_RETURN_IF_ERROR(leave_between_runs());
    memory_.bind(inputs, outputs);
    return run_once(schedule, run);
  }

  // What is said of a failure takes memory.
  Status run_once(PreparedSchedule& schedule, const Executor::Run& run) {
    return guarded([&] { return executor_.run(schedule, run); });
  }

  Status leave_between_runs() NESTRT_REQUIRES(mutex_) {
    const MutexLock lock(current_mutex_);
    return leave_lent_memory();
  }

  Status leave_lent_memory() NESTRT_REQUIRES(mutex_, current_mutex_) {
    log(LogLevel::kWarning, "a unit that failed could not be stopped: the session's activations leave its memory");
    return allocate({});
  }

  // What operators cost one after the other says little of lanes that share the host's cores. On the host alone the
  // whole schedule is tried against every operator on all threads, which is kept unless the schedule is faster.
  Status try_schedule(const FirstSchedule& first) NESTRT_REQUIRES(mutex_, current_mutex_) {
    if (options_.measure != Measuring::kBefore || options_.fixed_schedule != nullptr || !has_costs_) return {};
    if (has_other_units() ? !current_->shares_cores() : current_->is_file_order()) return {};
    ExecutorOptions unwatched;
    unwatched.limits = limits();
    unwatched.urgent = options_.urgent;
    unwatched.clock = options_.clock;
    NESTRT_ASSIGN_OR_RETURN(Schedule schedule, schedule_without_sharing(first.costs));
    NESTRT_ASSIGN_OR_RETURN(
        auto other, PreparedSchedule::create(*plan_, units_, std::move(schedule), executables_, current_->kernels()));
    other->set_costs(*plan_, units_, first.costs, first.measured);
    Result<bool> faster = is_faster(*plan_, *current_, *other, memory_, unwatched, health_);
    if (!faster && !memory_.is_safe()) {
      NESTRT_RETURN_IF_ERROR(leave_lent_memory());
      faster = is_faster(*plan_, *current_, *other, memory_, unwatched, health_);
    }
    NESTRT_ASSIGN_OR_RETURN(share_cores_, std::move(faster));
    if (!share_cores_) current_ = std::move(other);
    return {};
  }

  Result<Schedule> schedule_without_sharing(const CostTable& costs) const {
    if (!has_other_units()) return file_order_schedule(*plan_, infos_);
    ScheduleOptions options = options_.schedule;
    options.share_cores = false;
    return schedule_for_working_units(*plan_, infos_, health_.failing(), costs, options);
  }

  bool has_other_units() const {
    return std::any_of(units_.begin(), units_.end(), [](const auto& unit) { return !unit->info().is_host; });
  }

  Status start_adaptation(FirstSchedule first) NESTRT_REQUIRES(current_mutex_) {
    const bool is_fixed = !may_reschedule() || current_->is_file_order();
    if (!has_other_units() && is_fixed && kernels_ == nullptr) return {};
    AdaptationOptions options;
    options.probe_interval = options_.probe_interval;
    options.clock = options_.clock;
    options.cache = first.cache;
    options.adopted = turns_.adopted;
    options.counts_load = options_.schedule.method == ScheduleMethod::kThroughput;
    options.user = &user_;
    Policies policies;
    policies.schedules = make_policy(first.costs);
    policies.kernels = std::move(kernels_);
    adaptation_ = std::make_unique<Adaptation>(*plan_, units_, executables_, health_, std::move(policies),
                                               std::move(first.measured), options);
    return adaptation_->start(current_);
  }

  std::unique_ptr<SchedulePolicy> make_policy(const CostTable& costs) const NESTRT_REQUIRES(current_mutex_) {
    if (!may_reschedule()) return nullptr;
    PolicyOptions options;
    options.schedule = options_.schedule;
    options.schedule.others = user_.others();
    options.schedule.share_cores &= share_cores_;
    options.drift = options_.reschedule_drift;
    return std::make_unique<SchedulePolicy>(*plan_, infos_, costs, current_->schedule(), options);
  }

  // Null where there is nothing to choose, or to learn from.
  std::unique_ptr<KernelPolicy> make_kernel_policy(const CostTable& costs) const {
    const auto host = std::ranges::find_if(infos_, &UnitInfo::is_host);
    const bool learns = options_.reschedule_drift > 0 && options_.measure != Measuring::kNever;
    if (!learns || options_.check_every == 1 || host == infos_.end()) return nullptr;
    const auto index = static_cast<uint32_t>(host - infos_.begin());
    std::vector<OperatorKernels> operators = kernels_to_choose_from(plan_, *units_[index], options_.kernels);
    if (operators.empty()) return nullptr;
    return std::make_unique<KernelPolicy>(*plan_, *host, index, std::move(operators), costs);
  }

  KernelNumbers first_kernels() const { return kernels_ != nullptr ? kernels_->in_use() : turns_.kernels; }

  // It stays as long as the run does: nobody else swaps.
  PreparedSchedule& newest_schedule() NESTRT_REQUIRES(mutex_) {
    const MutexLock lock(current_mutex_);
    if (adaptation_ != nullptr) adaptation_->swap(current_);
    if (offered_ != nullptr) retired_ = std::exchange(current_, std::move(offered_));
    return *current_;
  }

  const ForkOrigin origin_;
  const std::shared_ptr<const Plan> plan_;
  const UnitList units_;
  const SessionOptions options_;
  std::vector<UnitInfo> infos_;            // of the units; written by prepare() alone
  bool has_costs_ = false;                 // the schedule was made from costs
  bool share_cores_ = true;                // what try_schedule() tried was not found to be slower
  std::unique_ptr<KernelPolicy> kernels_;  // until adaptation_ has it
  UnitDemand user_;
  Executables executables_;
  UnitHealth health_;
  size_t arena_bytes_ = 0;
  Executor executor_;

  Mutex mutex_;  // one run at a time
  Arguments arguments_ NESTRT_GUARDED_BY(mutex_);
  RunMemory memory_ NESTRT_GUARDED_BY(mutex_);
  uint32_t runs_ NESTRT_GUARDED_BY(mutex_) = 0;

  mutable Mutex current_mutex_;  // for those who look at it between runs
  std::shared_ptr<PreparedSchedule> current_ NESTRT_GUARDED_BY(current_mutex_);
  // Of a session that follows another: what comes next, and what is to be freed beside the runs.
  std::shared_ptr<PreparedSchedule> offered_ NESTRT_GUARDED_BY(current_mutex_);
  std::shared_ptr<PreparedSchedule> retired_ NESTRT_GUARDED_BY(current_mutex_);
  const PipelineSessionOptions turns_;

  std::unique_ptr<Adaptation> adaptation_;  // null where nothing can change
};

}  // namespace

Result<std::unique_ptr<PipelineSession>> PipelineSession::create(std::shared_ptr<const Plan> plan, UnitList units,
                                                                 const SessionOptions& options,
                                                                 PipelineSessionOptions turns) {
  return guarded([&]() -> Result<std::unique_ptr<PipelineSession>> {
    if (plan == nullptr) return Status(Code::kInvalidArgument, "a session needs a plan");
    auto session = std::make_unique<SessionImpl>(std::move(plan), std::move(units), options, std::move(turns));
    NESTRT_RETURN_IF_ERROR(session->prepare());
    return std::unique_ptr<PipelineSession>(std::move(session));
  });
}

Result<std::unique_ptr<Session>> Session::create(std::shared_ptr<const Plan> plan, UnitList units,
                                                 const SessionOptions& options) {
  if (plan != nullptr && !plan->shapes().empty()) return create_shaped_session(std::move(plan), units, options);
  NESTRT_ASSIGN_OR_RETURN(std::unique_ptr<Session> session,
                          PipelineSession::create(std::move(plan), std::move(units), options));
  return session;
}

std::optional<size_t> Session::find_input(std::string_view name) const { return position_of(name, inputs()); }
std::optional<size_t> Session::find_output(std::string_view name) const { return position_of(name, outputs()); }

}  // namespace nestrt
