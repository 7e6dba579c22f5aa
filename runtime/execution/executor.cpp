// SPDX-License-Identifier: Apache-2.0
#include "runtime/execution/executor.h"

#include <fmt/core.h>

#include <algorithm>
#include <string_view>

#include "runtime/core/host.h"
#include "runtime/platform/guard.h"
#include "runtime/platform/spin.h"

namespace nestrt {
namespace {

// The slices of a split operator end at about the same time, and waking a sleeping thread takes 10 to 20 us. Threads do
// not spin if several inferences are in flight, because others can use the core.
constexpr std::chrono::microseconds kSpin{100};

// Weight of the newest duration in the exponential mean of a step.
constexpr float kDurationWeight = 0.2f;

float to_us(SteadyClock::duration duration) { return std::chrono::duration<float, std::micro>(duration).count(); }

// Limits a duration to twice the mean, so that a step interrupted by the system hardly changes the mean.
void update_mean(std::atomic<float>& mean_us, float now) {
  const float before = mean_us.load(std::memory_order_relaxed);
  const float mean = before == 0 ? now : before + kDurationWeight * (std::min(now, 2 * before) - before);
  mean_us.store(mean, std::memory_order_relaxed);
}

// Returns the number of the unit as used by Submission::writer.
uint8_t writer_of(uint32_t unit) { return unit < UINT8_MAX ? static_cast<uint8_t>(unit + 1) : 0; }

}  // namespace

Executor::Executor(const ExecutorOptions& options, UnitHealth& health)
    : options_(options), spin_(options.arbiters == nullptr ? kSpin : std::chrono::microseconds(0)), health_(health) {}

Executor::~Executor() {
  stopping_.store(true);
  for (LaneThread& lane : threads_) {
    lane.run.fetch_add(1);
    lane.run.notify_one();
    lane.thread.join();
  }
}

Status Executor::reserve_unit_lanes(size_t lanes) {
  while (submitted_.size() < lanes + 1) submitted_.emplace_back();
  while (threads_.size() < lanes) {
    const size_t thread = threads_.size();
    LaneThread& added = threads_.emplace_back();
    Result<NamedThread> started =
        start_named_thread(fmt::format("nestrt-unit{}", thread), [this, thread, &added] { serve(thread, added.run); });
    if (!started) {
      threads_.pop_back();
      return started.error().with_context(fmt::format("cannot start thread {} for the session's units", thread + 1));
    }
    added.thread = std::move(*started);
  }
  return {};
}

void Executor::serve(size_t thread, const std::atomic<uint64_t>& run) {
  uint64_t seen = 0;
  while (true) {
    seen = wait_until(run, spin_, [&](uint64_t now) { return now != seen; });
    if (stopping_.load()) return;
    run_steps(schedule_->lanes()[schedule_->unit_lanes()[thread]].steps);
    if (running_lanes_.fetch_sub(1, std::memory_order_acq_rel) == 1) running_lanes_.notify_one();
  }
}

// Returns kNoDeadline if the time point cannot be represented.
Deadline Executor::deadline_after(std::chrono::milliseconds time) const {
  const SteadyClock::time_point begin = now();
  return time < std::chrono::duration_cast<std::chrono::milliseconds>(kNoDeadline - begin) ? begin + time : kNoDeadline;
}

Status Executor::run(PreparedSchedule& schedule, const Run& run) {
  schedule_ = &schedule;
  run_ = run;
  std::ranges::fill(run.memory->writers(), uint8_t{0});
  copied_bytes_.store(0);
  shared_memory_bytes_.store(0);
  number_.fetch_add(1, std::memory_order_relaxed);
  {
    const MutexLock lock(cancel_mutex_);
    cancelled_.store(false);
  }
  failed_.store(false);
  has_host_fallback_.store(false, std::memory_order_relaxed);
  if (run.deadline != kNoDeadline) host_is_in_time_ = now() + schedule.update_rest_times() < run.deadline;
  NESTRT_RETURN_IF_ERROR(schedule.is_file_order() ? run_in_order() : run_in_lanes());
  if (!has_host_fallback_.load(std::memory_order_relaxed)) record_complete_run();
  return {};
}

// Marks the units as trusted. Only a complete run proves this, because a unit may hang in a single program.
void Executor::record_complete_run() {
  for (const uint32_t lane : schedule_->unit_lanes())
    health_.record_complete_run(schedule_->schedule().lanes[lane].unit);
}

Status Executor::run_in_order() {
  UnitLease lease(options_.arbiters.get(), run_.inference);
  for (PreparedStep& step : schedule_->steps()) NESTRT_RETURN_IF_ERROR(run_step(step, now(), lease));
  return {};
}

Status Executor::run_in_lanes() {
  const size_t lanes = schedule_->unit_lanes().size();
  running_lanes_.store(lanes, std::memory_order_relaxed);
  for (size_t thread = 0; thread < lanes; ++thread) {
    threads_[thread].run.fetch_add(1, std::memory_order_release);
    threads_[thread].run.notify_one();
  }
  for (const Section& section : schedule_->sections()) run_section(section);
  wait_until(running_lanes_, spin_, [](size_t running) { return running == 0; });
  return failure();
}

// Runs lanes concurrently if enough host threads are available, otherwise runs their steps in order.
void Executor::run_section(const Section& section) {
  const auto run_lane = [&](int share) { run_steps(section.lanes[static_cast<size_t>(share)]); };
  const auto lanes = static_cast<int>(section.lanes.size());
  Host* const host = lanes > 1 ? schedule_->host() : nullptr;
  if (host == nullptr || !host->run_lanes(lanes, run_lane)) run_steps(section.steps);
}

// Marks every step as done, even after a failure, because other lanes may wait for it.
void Executor::run_steps(std::span<PreparedStep* const> steps) {
  const uint64_t number = number_.load(std::memory_order_relaxed);
  UnitLease lease(options_.arbiters.get(), run_.inference);
  for (PreparedStep* step : steps) {
    const SteadyClock::time_point ready = now();
    await(*step, lease);
    if (!has_failed()) {
      // Error messages allocate.
      Status status = guarded([&] { return run_step(*step, ready, lease); });
      if (!status.ok()) fail(std::move(status));
    }
    step->done.store(number, std::memory_order_release);
    step->done.notify_all();
  }
}

// Releases the unit while waiting for another lane.
void Executor::await(const PreparedStep& step, UnitLease& lease) const {
  const uint64_t number = number_.load(std::memory_order_relaxed);
  for (uint32_t before : step.step.waits) {
    const std::atomic<uint64_t>& done = schedule_->steps()[before].done;
    if (done.load(std::memory_order_acquire) == number) continue;
    lease.release();
    wait_until(done, spin_, [&](uint64_t now) { return now == number; });
  }
}

void Executor::fail(Status status) {
  const MutexLock lock(failure_mutex_);
  if (has_failed()) return;
  failure_ = std::move(status);
  failed_.store(true, std::memory_order_release);
}

Status Executor::failure() {
  if (!has_failed()) return {};
  const MutexLock lock(failure_mutex_);
  return failure_;
}

void Executor::cancel() {
  const MutexLock run(cancel_mutex_);
  cancelled_.store(true);
  for (Submitted& submitted : submitted_) {
    const MutexLock lock(submitted.mutex);
    if (submitted.executable != nullptr) submitted.executable->cancel(submitted.generation);
  }
}

Status Executor::run_step(PreparedStep& step, SteadyClock::time_point ready, UnitLease& lease) {
  step.on_host ? lease.acquire_host(step.use_us) : lease.acquire_unit(step.unit, step.use_us);
  const SteadyClock::time_point start = now();
  bool used_host = false;
  const Status status =
      step.on_host ? execute_on_host(step, *step.executable) : run_on_unit_or_host(step, lease, &used_host);
  if (!status.ok()) return status;
  const bool is_atypical = used_host || (run_.checks && !step.on_host);
  const float us = is_atypical ? 0 : to_us(now() - start);
  step.last_us.store(us, std::memory_order_relaxed);
  if (!is_atypical) update_mean(step.measured_us, us);
  if (options_.observer != nullptr) report(step, ready, start, used_host);
  return {};
}

void Executor::report(const PreparedStep& step, SteadyClock::time_point ready, SteadyClock::time_point start,
                      bool is_host_fallback) const {
  const SteadyClock::time_point end = now();
  options_.observer->step_done(
      {step.index, step.step.branch, step.step.lane, step.unit, ready, start, end, is_host_fallback});
}

Status Executor::run_on_unit_or_host(PreparedStep& step, UnitLease& lease, bool* used_host) {
  if (should_bypass_unit(step, step_timeout(step))) return fall_back_to_host(step, Status(), lease, used_host);
  const bool checks = run_.checks && step.fallback != nullptr && step.is_exact;
  uint64_t expected = 0;
  if (checks) {
    NESTRT_ASSIGN_OR_RETURN(expected, compute_expected_hash(step, lease));
  }
  const StepTimeout timeout = step_timeout(step);
  Status status = run_on_unit(step, timeout, checks);
  if (status.ok()) record_results(step);
  if (status.ok() && checks && hash_of_results(step) != expected)
    return recover_from_wrong_results(step, lease, used_host);
  if (status.ok()) return status;
  if (cancelled_.load()) return Status(Code::kCancelled, std::string(status.message()));
  if (now() >= run_.deadline) return record_missed_deadline(step, timeout, status);
  if (!run_.memory->is_safe()) {
    health_.record_failure(step.unit, status);
    return Status(Code::kDeviceFault, std::string(status.message()));
  }
  if (step.fallback != nullptr) return fall_back_to_host(step, explain(step, timeout, status), lease, used_host);
  if (!step.on_host) health_.record_failure(step.unit, status, false);  // a failed unit is probed
  return status;
}

// Returns the time limit of a step. Without a program for the host only the run's deadline limits it, because a late
// result is better than none.
StepTimeout Executor::step_timeout(const PreparedStep& step) const {
  if (step.fallback == nullptr) return {.deadline = run_.deadline};
  return nestrt::step_timeout(step.times(), options_.limits, now(), run_.deadline);
}

// Returns whether the host should run the step immediately: the host would meet the deadline, and the unit is failing,
// too slow, or too unreliable for the remaining time. Only runs that can afford a failure retry an unreliable unit.
bool Executor::should_bypass_unit(const PreparedStep& step, const StepTimeout& timeout) {
  if (step.fallback == nullptr) return false;
  if (health_.is_failing(step.unit)) return true;
  if (timeout.is_protected || !timeout.host_is_in_time) return false;
  return !timeout.unit_is_in_time || health_.should_bypass(step.unit);
}

Status Executor::explain(const PreparedStep& step, const StepTimeout& timeout, const Status& status) const {
  if (status.code() != Code::kDeadlineExceeded) return status;
  if (now() >= timeout.deadline)
    return status.with_context(
        fmt::format("branch {}: stopped early so that the run can meet its deadline", step.step.branch));
  if (timeout.limit == std::chrono::nanoseconds::max()) return status;
  const std::chrono::duration<double, std::milli> limit = timeout.limit;
  return status.with_context(fmt::format("branch {}: exceeded its time limit of {:.3g} ms; expected {:.3g} ms",
                                         step.step.branch, limit.count(), step.times().unit_us / 1e3));
}

// Records that the run missed its deadline. A tight deadline is not a failure of the unit. But if the host would have
// met it, the next runs may bypass the unit.
Status Executor::record_missed_deadline(const PreparedStep& step, const StepTimeout& timeout, const Status& status) {
  Status late(Code::kDeadlineExceeded, std::string(status.message()));
  if (step.fallback != nullptr && (timeout.host_is_in_time || host_is_in_time_))
    health_.record_missed_deadline(step.unit, late);
  return late;
}

Status Executor::fall_back_to_host(PreparedStep& step, const Status& why, UnitLease& lease, bool* used_host) {
  if (!why.ok()) health_.record_failure(step.unit, why);
  health_.count_host_fallback();
  has_host_fallback_.store(true, std::memory_order_relaxed);
  *used_host = true;
  lease.acquire_host(0);  // with the highest priority, because the step is late
  const SteadyClock::time_point start = now();
  NESTRT_RETURN_IF_ERROR(execute_on_host(step, *step.fallback));
  update_mean(step.fallback_us, to_us(now() - start));
  return {};
}

// Runs a step on its unit. A unit that misses its deadline completes with an error as soon as it no longer accesses the
// memory of this run.
Status Executor::run_on_unit(PreparedStep& step, const StepTimeout& timeout, bool is_checked) {
  Submitted& submitted = submitted_[step.thread];
  Submission submission = submission_of(step);
  submission.is_checked = is_checked;
  submission.deadline = timeout.deadline;
  submission.unit_deadline = deadline_after(options_.limits.timeout);
  submission.unit_limit = timeout.limit;
  submission.submitter_waits = true;
  submission.completion = &step.completion;
  submission.generation = step.completion.arm();
  {
    const MutexLock lock(submitted.mutex);
    submitted.executable = step.executable.get();
    submitted.generation = submission.generation;
  }
  step.executable->submit(submission);
  // With a custom clock, only the unit can detect that the deadline has passed.
  Status status = step.completion.wait(options_.clock == nullptr ? timeout.deadline : kNoDeadline);
  if (!step.completion.done()) {
    step.executable->cancel(submission.generation);
    static_cast<void>(step.completion.wait());
  }
  const MutexLock lock(submitted.mutex);
  submitted.executable = nullptr;
  return status;
}

void Executor::record_results(const PreparedStep& step) {
  const Traffic traffic = step.executable->traffic();
  copied_bytes_.fetch_add(traffic.copied_bytes, std::memory_order_relaxed);
  shared_memory_bytes_.fetch_add(traffic.shared_memory_bytes, std::memory_order_relaxed);
  for (uint32_t buffer : step.whole_results) run_.memory->writers()[buffer] = writer_of(step.unit);
}

// Inverts the results written by the host, so that stale bytes cannot hide a unit that writes nothing or writes after
// signalling completion.
Result<uint64_t> Executor::compute_expected_hash(PreparedStep& step, UnitLease& lease) {
  lease.acquire_host(0);
  NESTRT_RETURN_IF_ERROR(execute_on_host(step, *step.fallback));
  const uint64_t expected = hash_of_results(step);
  for_each_result(step, [](std::span<std::byte> bytes) {
    for (std::byte& byte : bytes) byte = ~byte;
  });
  for (uint32_t buffer : step.whole_results) run_.memory->writers()[buffer] = 0;
  lease.acquire_unit(step.unit, step.use_us);
  return expected;
}

Status Executor::recover_from_wrong_results(PreparedStep& step, UnitLease& lease, bool* used_host) {
  const Status wrong(Code::kDeviceFault,
                     fmt::format("branch {}: results differ from those of the CPU", step.step.branch));
  health_.record_failure(step.unit, wrong);
  for (uint32_t buffer : step.whole_results) run_.memory->writers()[buffer] = 0;
  const Status stopped = health_.stop(step.unit);  // it may have signalled completion too early
  if (!stopped.ok() && !run_.memory->is_safe()) return stopped;
  return fall_back_to_host(step, Status(), lease, used_host);
}

Status Executor::execute_on_host(const PreparedStep& step, Executable& executable) {
  const CoreShare cores{step.step.threads, step.share, options_.urgent};
  Submission submission = submission_of(step);
  submission.cores = &cores;
  return nestrt::run(executable, submission);
}

Submission Executor::submission_of(const PreparedStep& step) const {
  Submission submission;
  submission.bindings = {run_.memory->buffers(), schedule_->lanes()[step.step.lane].scratch.data()};
  submission.deadline = run_.deadline;
  submission.urgent = options_.urgent;
  submission.observer = options_.observer;
  submission.writers = run_.memory->writers();
  submission.writer = writer_of(step.unit);
  submission.cancelled = &cancelled_;
  return submission;
}

template <typename Visit>
void Executor::for_each_result(const PreparedStep& step, const Visit& visit) const {
  for (const WrittenBytes& written : step.results) {
    std::byte* bytes = run_.memory->buffers()[written.buffer] + written.offset;
    for (uint64_t i = 0; i < written.count; ++i, bytes += written.stride) visit(std::span(bytes, written.size));
  }
}

uint64_t Executor::hash_of_results(const PreparedStep& step) const {
  uint64_t hash = 0;
  for_each_result(step, [&](std::span<const std::byte> bytes) {
    const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    hash = hash * 31 + std::hash<std::string_view>()(text);
  });
  return hash;
}

}  // namespace nestrt
