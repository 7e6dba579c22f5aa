// SPDX-License-Identifier: Apache-2.0
#include "nestrt/session.h"

#include <fmt/core.h>

#include <algorithm>

#include "nestrt/driver/mutex.h"
#include "nestrt/log.h"
#include "runtime/adaptation/adaptation.h"
#include "runtime/adaptation/file_order.h"
#include "runtime/adaptation/first_schedule.h"
#include "runtime/adaptation/trial.h"
#include "runtime/concurrency/unit_demand.h"
#include "runtime/core/tensor_set.h"
#include "runtime/core/unit_infos.h"
#include "runtime/execution/arguments.h"
#include "runtime/execution/check_schedule.h"
#include "runtime/execution/executor.h"
#include "runtime/execution/refused_programs.h"
#include "runtime/execution/working_units.h"
#include "runtime/platform/fork_origin.h"
#include "runtime/platform/guard.h"
#include "runtime/session/activation_memory.h"
#include "runtime/session/check_session.h"
#include "runtime/session/operator_summaries.h"
#include "runtime/session/pipeline_session.h"
#include "runtime/session/schedule_in_use.h"
#include "runtime/session/shaped_session.h"

namespace nestrt {
namespace {

std::optional<size_t> position_of(std::string_view name, std::span<const TensorInfo> tensors) {
  for (size_t i = 0; i < tensors.size(); ++i)
    if (tensors[i].name == name) return i;
  return std::nullopt;
}

ExecutorOptions executor_options(const SessionOptions& options) {
  const FaultToleranceOptions& faults = options.fault_tolerance;
  ExecutorOptions result;
  result.limits = {faults.unit_timeout, faults.timeout_factor, faults.timeout_slack};
  result.urgent = options.urgent;
  result.clock = options.clock;
  return result;
}

// Returns the options of regular runs. Trial runs do not use `observer` and `arbiters`.
ExecutorOptions executor_options(const SessionOptions& options, const PipelineSessionOptions& pipeline) {
  ExecutorOptions result = executor_options(options);
  result.observer = options.observer;
  result.arbiters = pipeline.arbiters;
  return result;
}

class SessionImpl final : public PipelineSession {
 public:
  SessionImpl(std::shared_ptr<const Plan> plan, UnitList units, const SessionOptions& options,
              PipelineSessionOptions pipeline)
      : plan_(std::move(plan)),
        units_(std::move(units)),
        options_(options),
        pipeline_(std::move(pipeline)),
        demand_(units_, options_.urgent),
        executables_(plan_, units_),
        health_(units_),
        executor_(executor_options(options_, pipeline_), health_),
        arguments_(*plan_),
        memory_(*plan_, units_, executables_) {}

  ~SessionImpl() override {
    if (adaptation_ != nullptr && !origin_.in_child()) adaptation_->keep_costs();
  }

  Status prepare() {
    const MutexLock lock(mutex_);
    NESTRT_RETURN_IF_ERROR(check_session(*plan_, units_, options_));
    infos_ = infos_with_refusals(plan_->tables(), units_, executables_);
    SessionOptions options = options_;
    options.schedule.others = demand_.others();
    NESTRT_ASSIGN_OR_RETURN(FirstSchedule first, make_first_schedule(plan_, units_, infos_, options, health_));
    NESTRT_RETURN_IF_ERROR(check_schedule(*plan_, unit_infos(units_), first.schedule));
    demand_.set_demand(unit_shares(first.schedule, infos_));
    has_costs_ = first.has_costs;
    Policies policies;
    policies.kernels = make_kernel_policy(plan_, units_, infos_, options_, first.costs);
    const KernelNumbers kernels = policies.kernels != nullptr ? policies.kernels->in_use() : pipeline_.kernels;
    NESTRT_ASSIGN_OR_RETURN(std::shared_ptr<PreparedSchedule> schedule,
                            prepare_schedule(std::move(first.schedule), kernels, first.costs, first.measured));
    NESTRT_RETURN_IF_ERROR(memory_.allocate(schedule->is_file_order() && !may_change()));
    NESTRT_ASSIGN_OR_RETURN(const bool share_cores, try_core_sharing(first, schedule));
    NESTRT_RETURN_IF_ERROR(executor_.reserve_unit_lanes(max_unit_lanes(*schedule)));
    log_repacking();
    policies.schedules = make_schedule_policy(*schedule, first.costs, share_cores);
    schedule_.set(schedule);
    return start_adaptation(std::move(policies), std::move(first), std::move(schedule));
  }

  Status run(std::span<const ConstTensorView> inputs, std::span<const TensorView> outputs,
             const RunOptions& options) override {
    return run(inputs, outputs, options, 0);
  }

  Status run(std::span<const ConstTensorView> inputs, std::span<const TensorView> outputs, const RunOptions& options,
             uint64_t inference) override {
    NESTRT_RETURN_IF_ERROR(origin_.check("session"));
    const MutexLock lock(mutex_);
    NESTRT_RETURN_IF_ERROR(arguments_.check(inputs, outputs));
    PreparedSchedule& schedule = schedule_.update(adaptation_.get());
    const uint32_t check_every = options_.fault_tolerance.check_every;
    const bool checks = check_every > 0 && runs_++ % check_every == 0;
    const SteadyClock::time_point start = now();
    demand_.begin_run();
    const Status status = memory_.run([&](RunMemory& memory) {
      memory.bind(inputs, outputs);
      // Error messages allocate.
      return guarded([&] { return executor_.run(schedule, {&memory, options.deadline, inference, checks}); });
    });
    demand_.end_run();
    const std::chrono::duration<double, std::micro> makespan = now() - start;
    if (adaptation_ != nullptr) adaptation_->run_ended(schedule, status.ok() ? makespan.count() : 0);
    return status;
  }

  void offer(const PreparedSchedule& schedule, const CostTable& costs, const CostTable& measured) override {
    auto prepared = guarded([&] { return prepare_schedule(schedule.schedule(), schedule.kernels(), costs, measured); });
    if (!prepared)
      return log(LogLevel::kWarning, fmt::format("cannot prepare another schedule, keeping the current one: {}",
                                                 prepared.error().message()));
    executables_.keep_only(schedule.kernels());
    schedule_.offer(std::move(*prepared));
  }

  bool may_change() const override { return pipeline_.follows ? pipeline_.may_change : may_reschedule(); }
  KernelNumbers kernels() const override { return schedule_.get()->kernels(); }

  void cancel() override { executor_.cancel(); }
  uint64_t num_host_fallbacks() const override { return health_.num_host_fallbacks(); }
  uint64_t num_reschedules() const override { return adaptation_ != nullptr ? adaptation_->swaps() : 0; }
  const Plan& plan() const override { return *plan_; }
  Schedule schedule() const override { return schedule_.get()->schedule(); }

  SessionMemory memory() const override {
    const Traffic traffic = executor_.traffic();
    SessionMemory memory;
    memory.arena_bytes = memory_.arena_bytes();
    memory.scratch_bytes = schedule_.get()->scratch_bytes();
    memory.repacked_bytes = executables_.repacked_bytes();
    memory.copied_bytes = traffic.copied_bytes;
    memory.shared_memory_bytes = traffic.shared_memory_bytes;
    return memory;
  }

  std::vector<OperatorSummary> operators() const override {
    return summarize_operators(*plan_, units_, *schedule_.get());
  }

 private:
  SteadyClock::time_point now() const { return now_by(options_.clock.get()); }

  bool may_reschedule() const {
    return options_.adaptation.drift > 0 && options_.fixed_schedule == nullptr && has_costs_;
  }

  bool has_accelerators() const {
    return std::ranges::any_of(units_, [](const auto& unit) { return !unit->info().is_host; });
  }

  // Returns the maximum over this schedule and the schedules that may replace it.
  size_t max_unit_lanes(const PreparedSchedule& schedule) const {
    const size_t lanes = schedule.unit_lanes().size();
    return may_change() ? std::max(lanes, units_.size()) : lanes;
  }

  Result<std::shared_ptr<PreparedSchedule>> prepare_schedule(Schedule schedule, KernelNumbers kernels,
                                                             const CostTable& costs, const CostTable& measured) {
    NESTRT_ASSIGN_OR_RETURN(
        std::shared_ptr<PreparedSchedule> prepared,
        PreparedSchedule::create(*plan_, units_, std::move(schedule), executables_, std::move(kernels)));
    prepared->set_costs(*plan_, units_, costs, measured);
    return prepared;
  }

  // Costs of operators that run one at a time do not predict the times of lanes that share the host's cores. Therefore
  // kBefore compares the schedule with one whose host lanes do not share cores, and keeps the latter unless the
  // schedule is faster. Returns whether schedules may share cores.
  Result<bool> try_core_sharing(const FirstSchedule& first, std::shared_ptr<PreparedSchedule>& schedule)
      NESTRT_REQUIRES(mutex_) {
    if (options_.costs.measure != Measuring::kBefore || options_.fixed_schedule != nullptr || !has_costs_) return true;
    if (has_accelerators() ? !schedule->shares_cores() : schedule->is_file_order()) return true;
    NESTRT_ASSIGN_OR_RETURN(Schedule unshared, make_schedule_without_core_sharing(first.costs));
    NESTRT_ASSIGN_OR_RETURN(std::shared_ptr<PreparedSchedule> other,
                            prepare_schedule(std::move(unshared), schedule->kernels(), first.costs, first.measured));
    bool share_cores = true;
    NESTRT_RETURN_IF_ERROR(memory_.run([&](RunMemory& memory) -> Status {
      NESTRT_ASSIGN_OR_RETURN(share_cores,
                              is_faster(*plan_, *schedule, *other, memory, executor_options(options_), health_));
      return {};
    }));
    if (!share_cores) schedule = std::move(other);
    return share_cores;
  }

  Result<Schedule> make_schedule_without_core_sharing(const CostTable& costs) const {
    if (!has_accelerators()) return file_order_schedule(*plan_, infos_);
    ScheduleOptions options = options_.schedule;
    options.share_cores = false;
    return schedule_for_working_units(*plan_, infos_, health_.failing(), costs, options);
  }

  // Returns null if the schedule is fixed.
  std::unique_ptr<SchedulePolicy> make_schedule_policy(const PreparedSchedule& schedule, const CostTable& costs,
                                                       bool share_cores) const {
    if (!may_reschedule()) return nullptr;
    PolicyOptions options;
    options.schedule = options_.schedule;
    options.schedule.others = demand_.others();
    options.schedule.share_cores &= share_cores;
    options.drift = options_.adaptation.drift;
    return std::make_unique<SchedulePolicy>(*plan_, infos_, costs, schedule.schedule(), options);
  }

  Status start_adaptation(Policies policies, FirstSchedule first, std::shared_ptr<PreparedSchedule> schedule) {
    const bool is_fixed = policies.schedules == nullptr || schedule->is_file_order();
    if (!has_accelerators() && is_fixed && policies.kernels == nullptr) return {};
    AdaptationSettings settings;
    settings.probe_interval = options_.fault_tolerance.probe_interval;
    settings.clock = options_.clock;
    settings.cache = first.cache;
    settings.adopted = pipeline_.adopted;
    settings.counts_load = options_.schedule.method == ScheduleMethod::kThroughput;
    settings.demand = &demand_;
    adaptation_ = std::make_unique<Adaptation>(*plan_, units_, executables_, health_, std::move(policies),
                                               std::move(first.measured), settings);
    return adaptation_->start(std::move(schedule));
  }

  void log_repacking() const {
    const size_t bytes = executables_.repacked_bytes();
    if (bytes == 0) return;
    log(LogLevel::kInfo,
        fmt::format("{}: {} bytes of weights are packed for another CPU and were repacked; compile for "
                    "this CPU, for example with --target zcu102,host, to use them in place",
                    plan_->tables().model_name, bytes));
  }

  const ForkOrigin origin_;
  const std::shared_ptr<const Plan> plan_;
  const UnitList units_;
  const SessionOptions options_;
  const PipelineSessionOptions pipeline_;
  std::vector<UnitInfo> infos_;  // per unit, with the programs that it refuses
  bool has_costs_ = false;       // the first schedule was computed from costs
  UnitDemand demand_;
  Executables executables_;
  UnitHealth health_;
  Executor executor_;
  ScheduleInUse schedule_;

  Mutex mutex_;  // serializes runs
  Arguments arguments_ NESTRT_GUARDED_BY(mutex_);
  ActivationMemory memory_;  // guarded by mutex_, except arena_bytes()
  uint32_t runs_ NESTRT_GUARDED_BY(mutex_) = 0;

  std::unique_ptr<Adaptation> adaptation_;  // null if nothing can change
};

// `shape`: the plan of one of the session's shapes.
Status run_on_random_inputs(Session& session, const Plan& shape, const RunOptions& options) {
  NESTRT_ASSIGN_OR_RETURN(const TensorSet inputs, TensorSet::random(shape.inputs()));
  NESTRT_ASSIGN_OR_RETURN(const TensorSet outputs, TensorSet::create(shape.outputs()));
  return session.run(inputs.const_views(), outputs.views(), options);
}

}  // namespace

Result<std::unique_ptr<PipelineSession>> PipelineSession::create(std::shared_ptr<const Plan> plan, UnitList units,
                                                                 const SessionOptions& options,
                                                                 PipelineSessionOptions pipeline) {
  return guarded([&]() -> Result<std::unique_ptr<PipelineSession>> {
    if (plan == nullptr) return Status(Code::kInvalidArgument, "a session needs a plan");
    auto session = std::make_unique<SessionImpl>(std::move(plan), std::move(units), options, std::move(pipeline));
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

Status Session::warm_up(const RunOptions& options) {
  return guarded([&] {
    if (plan().shapes().empty()) return run_on_random_inputs(*this, plan(), options);
    for (const auto& shape : plan().shapes()) NESTRT_RETURN_IF_ERROR(run_on_random_inputs(*this, *shape, options));
    return Status();
  });
}

std::optional<size_t> Session::find_input(std::string_view name) const { return position_of(name, inputs()); }
std::optional<size_t> Session::find_output(std::string_view name) const { return position_of(name, outputs()); }

}  // namespace nestrt
