#include "runtime/session/adaptation.h"

#include <fmt/core.h>

#include <cmath>

#include "nestrt/log.h"
#include "runtime/core/clock.h"
#include "runtime/core/guard.h"
#include "runtime/costs/unit_key.h"
#include "runtime/session/working_units.h"

namespace nestrt {
namespace {

// Means of so many runs are worth a look.
constexpr uint32_t kRunsBetweenLooks = 16;

}  // namespace

Adaptation::Adaptation(const Plan& plan, const UnitList& units, Executables& executables, UnitHealth& health,
                       CostTable costs, CostTable measured, const AdaptationOptions& options)
    : plan_(plan),
      units_(units),
      executables_(executables),
      health_(health),
      costs_(std::move(costs)),
      measured_(std::move(measured)),
      options_(options),
      probe_times_(units.size(), options.probe_interval) {}

Adaptation::~Adaptation() {
  {
    const MutexLock lock(mutex_);
    stopping_ = true;
    changed_.notify_all();
  }
  thread_.join();
}

Status Adaptation::start(const PreparedSchedule& current) {
  {
    const MutexLock lock(mutex_);
    current_ = &current;
  }
  Result<NamedThread> started = start_named_thread("nestrt-adapt", [this] { work(); });
  if (!started) return started.error().with_context("cannot start the thread that adapts schedules");
  thread_ = std::move(*started);
  return {};
}

void Adaptation::run_ended(const PreparedSchedule& current) {
  // A unit that has come back and failed again since is one that is to be probed, though it failed before as well.
  const uint64_t changes = health_.changes();
  if (std::exchange(health_changes_, changes) != changes) return request();
  if (++runs_ < kRunsBetweenLooks) return;
  runs_ = 0;
  if (options_.reschedules && has_drifted(current)) request();
}

bool Adaptation::has_drifted(const PreparedSchedule& current) const {
  double distance = 0, expected = 0;
  for (const PreparedStep& step : current.steps()) {
    const double measured = step.measured_us.load(std::memory_order_relaxed);
    if (measured == 0 || step.step.predicted_us == 0) continue;
    distance += std::abs(measured - step.step.predicted_us);
    expected += step.step.predicted_us;
  }
  return distance > options_.drift * expected;
}

void Adaptation::request() {
  const MutexLock lock(mutex_);
  requested_ = true;
  changed_.notify_all();
}

void Adaptation::swap(std::unique_ptr<PreparedSchedule>& current) {
  if (!has_next_.load(std::memory_order_acquire)) return;
  const MutexLock lock(mutex_);
  retired_ = std::exchange(current, std::move(next_));
  current_ = current.get();
  has_next_.store(false, std::memory_order_relaxed);
  swaps_.fetch_add(1, std::memory_order_relaxed);
  runs_ = 0;
  changed_.notify_all();
}

void Adaptation::work() {
  const MutexLock lock(mutex_);
  while (!stopping_) {
    wait_for_work();
    do_work();
  }
}

bool Adaptation::has_work() const { return stopping_ || retired_ != nullptr || (requested_ && next_ == nullptr); }

// Or until a unit is to be probed.
void Adaptation::wait_for_work() {
  Clock* const clock = options_.clock.get();
  const std::optional<SteadyClock::time_point> probe = next_probe();
  while (!has_work() && (!probe || now_by(clock) < *probe)) {
    if (probe)
      wait_by(clock, changed_, mutex_, *probe);
    else
      changed_.wait(mutex_);
  }
}

// One schedule at a time: the next is made from what has been measured of the last, once that is in use.
void Adaptation::do_work() {
  const std::unique_ptr<PreparedSchedule> retired = std::move(retired_);
  const PreparedSchedule* const current = current_;
  const bool is_asked = next_ == nullptr && std::exchange(requested_, false);
  const bool makes_one = is_asked && options_.reschedules;
  std::unique_ptr<PreparedSchedule> made;
  {
    const MutexPause pause(mutex_);
    static_cast<void>(guarded([&]() -> Status {  // what fails to be made is not there
      if (makes_one) made = reschedule(*current);
      return {};
    }));
    probe_failing_units();
  }
  if (made == nullptr) return;
  next_ = std::move(made);
  has_next_.store(true, std::memory_order_release);
}

std::optional<SteadyClock::time_point> Adaptation::next_probe() {
  for (uint32_t unit = 0; unit < units_.size(); ++unit)
    probe_times_.set_failing(unit, health_.is_failing(unit), now_by(options_.clock.get()));
  return probe_times_.next();
}

void Adaptation::probe_failing_units() {
  for (uint32_t unit = 0; unit < units_.size(); ++unit) {
    if (!probe_times_.is_due(unit, now_by(options_.clock.get()))) continue;
    const bool works = guarded([&] { return units_[unit]->probe(); }).ok();
    if (works) health_.recovered(unit);
    probe_times_.probed(unit, works, now_by(options_.clock.get()));
  }
}

std::unique_ptr<PreparedSchedule> Adaptation::reschedule(const PreparedSchedule& current) {
  auto prepared = guarded([&]() -> Result<std::unique_ptr<PreparedSchedule>> {
    keep_times_of(current);
    learn_from(current);
    NESTRT_ASSIGN_OR_RETURN(Schedule schedule,
                            schedule_for_working_units(plan_, units_, health_, costs_, options_.schedule));
    NESTRT_ASSIGN_OR_RETURN(auto made, PreparedSchedule::create(plan_, units_, std::move(schedule), executables_));
    made->set_costs(plan_, units_, costs_, measured_);
    return made;
  });
  if (!prepared) {
    log(LogLevel::kWarning, fmt::format("the schedule stays as it is: {}", prepared.error().message()));
    return nullptr;
  }
  return std::move(*prepared);
}

// So that a unit which comes back is not waited for as one of which nothing is known.
void Adaptation::keep_times_of(const PreparedSchedule& current) {
  for (const PreparedStep& step : current.steps()) {
    const double measured = step.measured_us.load(std::memory_order_relaxed);
    if (step.on_host || measured == 0) continue;
    measured_.set(key_of(units_[step.unit]->info()), branch_work_name(plan_, step.step.branch, step.step.channels),
                  {measured, CostSource::kMeasured});
  }
}

// The operators of a step share in how far it is off.
void Adaptation::learn_from(const PreparedSchedule& current) {
  for (const PreparedStep& step : current.steps()) {
    const double measured = step.measured_us.load(std::memory_order_relaxed);
    if (measured == 0 || step.step.predicted_us == 0) continue;
    const UnitKey unit = key_of(units_[step.unit]->info(), step.step.threads);
    const auto& operators = plan_.tables().branches[step.step.branch].operators;
    for (uint32_t op : operators) {
      const std::string work = work_name(plan_, op, step.step.channels);
      const WorkCost* const known = costs_.find(unit, work);
      if (known != nullptr)
        costs_.set(unit, work, {known->microseconds * measured / step.step.predicted_us, CostSource::kMeasured});
      else if (operators.size() == 1)  // what the plan says of a program
        costs_.set(unit, work, {measured, CostSource::kMeasured});
    }
  }
}

}  // namespace nestrt
