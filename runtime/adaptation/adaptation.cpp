// SPDX-License-Identifier: Apache-2.0
#include "runtime/adaptation/adaptation.h"

#include <fmt/core.h>

#include <algorithm>

#include "nestrt/log.h"
#include "runtime/core/clock.h"
#include "runtime/costs/unit_key.h"
#include "runtime/platform/guard.h"

namespace nestrt {

Adaptation::Adaptation(const Plan& plan, const UnitList& units, Executables& executables, UnitHealth& health,
                       Policies policies, CostTable measured, const AdaptationSettings& options)
    : plan_(plan),
      units_(units),
      executables_(executables),
      health_(health),
      options_(options),
      policy_(std::move(policies.schedules)),
      kernels_(std::move(policies.kernels)),
      drift_(policy_ != nullptr ? policy_->drift() : 0),
      measured_(std::move(measured)),
      prober_(units, health, options.clock, options.probe_interval),
      load_us_(units.size()) {}

Adaptation::~Adaptation() { stop(); }

void Adaptation::stop() {
  {
    const MutexLock lock(mutex_);
    stopping_ = true;
    changed_.notify_all();
  }
  thread_.join();
}

void Adaptation::keep_costs() {
  if (!decides() || options_.cache == nullptr) return;
  stop();
  CostTable costs = policy_ != nullptr ? policy_->costs() : CostTable();
  if (kernels_ != nullptr) costs.merge(kernels_->costs());
  const bool has_learned =
      (policy_ != nullptr && policy_->has_learned()) || (kernels_ != nullptr && kernels_->has_learned());
  if (has_learned) options_.cache->write(costs);
}

Status Adaptation::start(std::shared_ptr<PreparedSchedule> current) {
  if (decides()) {
    main_ = use(std::move(current));
    running_ = main_.get();
    publish_due();
    const MutexLock lock(mutex_);
    current_ = main_;
  }
  Result<NamedThread> started = start_named_thread("nestrt-adapt", [this] { work(); });
  if (!started) return started.error().with_context("cannot start the thread that adapts schedules");
  thread_ = std::move(*started);
  return {};
}

// --- Running thread --------------------------------------------------------------------------------------------------

// Compares change counters instead of states, because a unit that has recovered and then failed again must be probed
// even though its state is the same.
void Adaptation::run_ended(const PreparedSchedule& current, double makespan_us) {
  const uint64_t now = changes();
  if (!decides()) {
    if (now != known_changes_) request(now);
    return;
  }
  if (makespan_us > 0) measure(current, makespan_us);
  const bool explores = running_->then != nullptr;
  if (now != known_changes_ || (explores ? has_explored() : is_due())) request(now);
}

uint64_t Adaptation::changes() const {
  return health_.changes() + (options_.demand != nullptr ? options_.demand->changes() : 0);
}

void Adaptation::measure(const PreparedSchedule& current, double makespan_us) {
  RunStatistics& statistics = running_->statistics;
  size_t index = 0;
  for (const PreparedStep& step : current.steps()) {
    const float us = step.last_us.load(std::memory_order_relaxed);
    if (us <= 0 && statistics.predicted_us(index) > 0) return;
    statistics.step_us()[index++] = us;
  }
  statistics.end_run(options_.counts_load ? load_us(current) : makespan_us);
}

double Adaptation::load_us(const PreparedSchedule& current) {
  std::ranges::fill(load_us_, 0);
  for (const PreparedStep& step : current.steps()) load_us_[step.unit] += step.last_us.load(std::memory_order_relaxed);
  return std::ranges::max(load_us_);
}

bool Adaptation::is_due() const {
  const Due due{due_runs_.load(std::memory_order_relaxed), due_us_.load(std::memory_order_relaxed)};
  return due.is_reached(running_->statistics, drift_);
}

bool Adaptation::has_explored() const { return running_->statistics.runs() >= SchedulePolicy::kExploringRuns; }

// Ends exploration immediately: the schedule that follows an exploring one becomes current.
void Adaptation::request(uint64_t changes) {
  const MutexLock lock(mutex_);
  if (requested_ || next_ != nullptr) return;
  known_changes_ = changes;
  requested_ = true;
  asked_ = current_;
  if (asked_ != nullptr) asked_->snapshot = asked_->statistics;
  if (asked_ != nullptr && asked_->then != nullptr) current_ = asked_->then;
  running_ = current_.get();
  changed_.notify_all();
}

void Adaptation::swap(std::shared_ptr<PreparedSchedule>& current) {
  if (running_ == nullptr) return;
  if (has_next_.load(std::memory_order_acquire)) {
    const MutexLock lock(mutex_);
    retired_ = std::exchange(current_, std::move(next_));
    running_ = current_.get();
    if (std::exchange(running_->is_new, false)) swaps_.fetch_add(1, std::memory_order_relaxed);
    has_next_.store(false, std::memory_order_relaxed);
    changed_.notify_all();
  }
  if (current != running_->schedule) current = running_->schedule;
}

// --- Adaptation thread -----------------------------------------------------------------------------------------------

void Adaptation::work() {
  const MutexLock lock(mutex_);
  while (!stopping_) {
    wait_for_work();
    do_work();
  }
}

bool Adaptation::has_work() const { return stopping_ || retired_ != nullptr || requested_; }

// Blocks until there is work or a probe is due.
void Adaptation::wait_for_work() {
  Clock* const clock = options_.clock.get();
  const std::optional<SteadyClock::time_point> probe = prober_.next();
  while (!has_work() && (!probe || now_by(clock) < *probe)) {
    if (probe)
      wait_by(clock, changed_, mutex_, *probe);
    else
      changed_.wait(mutex_);
  }
}

void Adaptation::do_work() {
  std::shared_ptr<InUse> retired = std::move(retired_), asked = std::move(asked_), made;
  const bool was_requested = requested_;
  {
    const MutexPause pause(mutex_);
    static_cast<void>(guarded([&]() -> Status {  // an error leaves the schedule unchanged
      if (asked != nullptr) made = decide(*asked);
      return {};
    }));
    retired.reset();
    asked.reset();
    prober_.probe_due_units();
  }
  if (was_requested) requested_ = false;
  if (made == nullptr) return;
  next_ = std::move(made);
  has_next_.store(true, std::memory_order_release);
}

// Returns null if nothing changes.
std::shared_ptr<Adaptation::InUse> Adaptation::decide(const InUse& asked) {
  const bool explored = asked.then != nullptr;
  const PreparedSchedule* const before = main_->schedule.get();
  if (!explored && kernels_ != nullptr) kernels_->count(asked.snapshot);
  std::shared_ptr<InUse> made;
  if (policy_ != nullptr && !asked.explores_kernels) made = decide_schedule(asked.snapshot);
  if (made == nullptr && kernels_ != nullptr && explored == asked.explores_kernels) made = decide_kernels(asked);
  // Some units may have failed or recovered in the meantime.
  if (policy_ != nullptr && health_.failing() != failing_)
    made = decide_schedule(new_statistics(main_->schedule->schedule()));
  if (options_.demand != nullptr && policy_ != nullptr)
    options_.demand->set_demand(unit_shares(policy_->main_schedule(), policy_->units()));
  publish_due();
  if (options_.adopted && main_->schedule.get() != before)
    options_.adopted(*main_->schedule, policy_ != nullptr ? policy_->costs() : CostTable(), measured_);
  return made;
}

std::shared_ptr<Adaptation::InUse> Adaptation::decide_schedule(const RunStatistics& statistics) {
  failing_ = health_.failing();
  if (options_.demand != nullptr) policy_->set_others(options_.demand->others());
  const SchedulePolicy::Move move = policy_->decide(statistics, failing_);
  Result<std::shared_ptr<InUse>> made = guarded([&] { return make(move); });
  if (!made) {
    log(LogLevel::kWarning,
        fmt::format("cannot prepare another schedule, keeping the current one: {}", made.error().message()));
    policy_->undo(move);
    made = main_ = use(main_->schedule);
  }
  return std::move(*made);
}

std::shared_ptr<Adaptation::InUse> Adaptation::decide_kernels(const InUse& asked) {
  const Schedule& schedule = main_->schedule->schedule();
  const KernelPolicy::Move move = asked.explores_kernels ? kernels_->end_exploring(schedule, asked.snapshot)
                                                         : kernels_->decide(schedule, asked.snapshot);
  Result<std::shared_ptr<InUse>> made = guarded([&] { return make(move); });
  if (made) return std::move(*made);
  log(LogLevel::kWarning,
      fmt::format("cannot prepare other kernels, keeping the current ones: {}", made.error().message()));
  kernels_->undo();
  return nullptr;
}

Result<std::shared_ptr<Adaptation::InUse>> Adaptation::make(SchedulePolicy::Move move) {
  using Move = SchedulePolicy::Move;
  if (move == Move::kStay) return std::shared_ptr<InUse>();
  if (move == Move::kRestart) return main_ = use(main_->schedule);
  keep_step_times(*main_->schedule);
  std::shared_ptr<PreparedSchedule> schedule = move == Move::kRollBack ? previous_ : nullptr;
  if (schedule == nullptr) {
    NESTRT_ASSIGN_OR_RETURN(schedule, prepare(policy_->schedule(), main_->schedule->kernels()));
  }
  std::shared_ptr<InUse> made = use(std::move(schedule));
  if (move == Move::kExplore) {
    made->then = main_;
    return made;
  }
  previous_ = main_->schedule;
  made->is_new = true;
  return main_ = made;
}

// Drops executables prepared for other kernels.
Result<std::shared_ptr<Adaptation::InUse>> Adaptation::make(KernelPolicy::Move move) {
  using Move = KernelPolicy::Move;
  const KernelNumbers& kernels = move == Move::kExplore ? kernels_->explored() : kernels_->in_use();
  if (move == Move::kStay) {
    executables_.keep_only(kernels);
    return std::shared_ptr<InUse>();
  }
  keep_step_times(*main_->schedule);
  NESTRT_ASSIGN_OR_RETURN(std::shared_ptr<PreparedSchedule> schedule, prepare(main_->schedule->schedule(), kernels));
  if (move == Move::kExplore) {
    const RunStatistics statistics = new_statistics(schedule->schedule());
    return std::make_shared<InUse>(InUse{std::move(schedule), statistics, statistics, false, main_, true});
  }
  executables_.keep_only(kernels);
  previous_ = nullptr;  // it uses the previous kernels
  if (policy_ != nullptr)
    for (const auto& [op, factor] : kernels_->changes()) policy_->change_host_work(op, factor);
  return main_ = use(std::move(schedule));
}

Result<std::shared_ptr<PreparedSchedule>> Adaptation::prepare(const Schedule& schedule, const KernelNumbers& kernels) {
  NESTRT_ASSIGN_OR_RETURN(std::shared_ptr<PreparedSchedule> made,
                          PreparedSchedule::create(plan_, units_, schedule, executables_, kernels));
  if (policy_ != nullptr) made->set_costs(plan_, units_, policy_->costs(), measured_);
  return made;
}

// Returns empty statistics for a schedule. Without a schedule policy, all predictions are 0.
RunStatistics Adaptation::new_statistics(const Schedule& schedule) const {
  if (policy_ != nullptr) return policy_->new_statistics();
  return RunStatistics(schedule, std::vector<double>(schedule.steps.size(), 0));
}

// Keeps measured step times, so that a recovered unit has a time limit from its first step.
void Adaptation::keep_step_times(const PreparedSchedule& current) {
  for (const PreparedStep& step : current.steps()) {
    const double measured = step.measured_us.load(std::memory_order_relaxed);
    if (step.on_host || measured == 0) continue;
    measured_.set(key_of(units_[step.unit]->info()), program_work_name(plan_, step.step.branch, step.step.program),
                  {measured, CostSource::kMeasured});
  }
}

std::shared_ptr<Adaptation::InUse> Adaptation::use(std::shared_ptr<PreparedSchedule> schedule) const {
  if (kernels_ != nullptr) kernels_->restart();
  const RunStatistics statistics = new_statistics(schedule->schedule());
  return std::make_shared<InUse>(InUse{std::move(schedule), statistics, statistics});
}

void Adaptation::publish_due() {
  const Due due = earlier(policy_ != nullptr ? policy_->due() : Due(), kernels_ != nullptr ? kernels_->due() : Due());
  due_runs_.store(due.runs, std::memory_order_relaxed);
  due_us_.store(due.us, std::memory_order_relaxed);
}

}  // namespace nestrt
