#include "runtime/execution/executor.h"

#include <fmt/core.h>

#include <algorithm>
#include <string_view>

#include "nestrt/driver/host.h"
#include "runtime/platform/guard.h"
#include "runtime/platform/spin.h"

namespace nestrt {
namespace {

// The parts of a divided operator end at about the same time, and a sleeper takes 10 to 20 us to wake. Where several
// inferences are on their way nobody spins: others have use for the core.
constexpr std::chrono::microseconds kSpin{100};

// The part of the mean of a step's durations that a new one replaces.
constexpr float kOfDurations = 0.2f;

float to_us(SteadyClock::duration duration) { return std::chrono::duration<float, std::micro>(duration).count(); }

// A step that the system interrupted says little of the next: what took much longer than before counts as twice that.
void remember(std::atomic<float>& mean_us, float now) {
  const float before = mean_us.load(std::memory_order_relaxed);
  const float mean = before == 0 ? now : before + kOfDurations * (std::min(now, 2 * before) - before);
  mean_us.store(mean, std::memory_order_relaxed);
}

// As Submission::writer has it.
uint8_t number_of(uint32_t unit) { return unit < UINT8_MAX ? static_cast<uint8_t>(unit + 1) : 0; }

}  // namespace

Executor::Executor(const ExecutorOptions& options, UnitHealth& health)
    : options_(options), spin_(options.turns == nullptr ? kSpin : std::chrono::microseconds(0)), health_(health) {}

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
      return started.error().with_context(fmt::format("cannot start thread {} for units", thread + 1));
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

// kNoDeadline where it lies too far ahead to be told.
Deadline Executor::deadline_after(std::chrono::milliseconds time) const {
  const SteadyClock::time_point begin = now();
  return time < std::chrono::duration_cast<std::chrono::milliseconds>(kNoDeadline - begin) ? begin + time : kNoDeadline;
}

Status Executor::run(PreparedSchedule& schedule, const Run& run) {
  schedule_ = &schedule;
  run_ = run;
  std::ranges::fill(run.memory->writers(), uint8_t{0});
  copied_.store(0);
  handed_over_.store(0);
  number_.fetch_add(1, std::memory_order_relaxed);
  {
    const MutexLock lock(cancel_mutex_);
    cancelled_.store(false);
  }
  failed_.store(false);
  healed_.store(false, std::memory_order_relaxed);
  if (run.deadline != kNoDeadline) host_is_in_time_ = now() + schedule.measure_rest() < run.deadline;
  NESTRT_RETURN_IF_ERROR(schedule.is_file_order() ? run_in_order() : run_in_lanes());
  if (!healed_.load(std::memory_order_relaxed)) trust_units();
  return {};
}

// A unit may hang in one program and not in the one before it: only a whole run speaks for it.
void Executor::trust_units() {
  for (const uint32_t lane : schedule_->unit_lanes()) health_.trust(schedule_->schedule().lanes[lane].unit);
}

Status Executor::run_in_order() {
  Turn turn(options_.turns.get(), run_.turn);
  for (PreparedStep& step : schedule_->steps()) NESTRT_RETURN_IF_ERROR(run_step(step, now(), turn));
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

// Side by side where the host's threads are to be had, else one after the other.
void Executor::run_section(const Section& section) {
  const auto run_lane = [&](int share) { run_steps(section.lanes[static_cast<size_t>(share)]); };
  const auto lanes = static_cast<int>(section.lanes.size());
  Host* const host = lanes > 1 ? schedule_->host() : nullptr;
  if (host == nullptr || !host->run_lanes(lanes, run_lane)) run_steps(section.steps);
}

// All of them are over afterwards, whatever has failed: others may wait for them.
void Executor::run_steps(std::span<PreparedStep* const> steps) {
  const uint64_t number = number_.load(std::memory_order_relaxed);
  Turn turn(options_.turns.get(), run_.turn);
  for (PreparedStep* step : steps) {
    const SteadyClock::time_point ready = now();
    await(*step, turn);
    if (!has_failed()) {
      // What is said of a failure takes memory.
      Status status = guarded([&] { return run_step(*step, ready, turn); });
      if (!status.ok()) fail(std::move(status));
    }
    step->done.store(number, std::memory_order_release);
    step->done.notify_all();
  }
}

// Others may have the unit in the meantime.
void Executor::await(const PreparedStep& step, Turn& turn) const {
  const uint64_t number = number_.load(std::memory_order_relaxed);
  for (uint32_t before : step.step.waits) {
    const std::atomic<uint64_t>& done = schedule_->steps()[before].done;
    if (done.load(std::memory_order_acquire) == number) continue;
    turn.leave();
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

Status Executor::run_step(PreparedStep& step, SteadyClock::time_point ready, Turn& turn) {
  step.on_host ? turn.take_host(step.visit_us) : turn.take_unit(step.unit, step.visit_us);
  const SteadyClock::time_point start = now();
  bool healed = false;
  const Status status = step.on_host ? run_on_host(step, *step.executable) : compute(step, turn, &healed);
  if (!status.ok()) return status;
  const bool took_longer = healed || (run_.checks && !step.on_host);
  const float us = took_longer ? 0 : to_us(now() - start);
  step.last_us.store(us, std::memory_order_relaxed);
  if (!took_longer) remember(step.measured_us, us);
  if (options_.observer != nullptr) report(step, ready, start, healed);
  return {};
}

void Executor::report(const PreparedStep& step, SteadyClock::time_point ready, SteadyClock::time_point start,
                      bool healed) const {
  const SteadyClock::time_point end = now();
  options_.observer->step_done({step.index, step.step.branch, step.step.lane, step.unit, ready, start, end, healed});
}

Status Executor::compute(PreparedStep& step, Turn& turn, bool* healed) {
  if (goes_past_unit(step, step_timeout(step))) return heal(step, Status(), turn, healed);
  const bool checks = run_.checks && step.fallback != nullptr && step.is_exact;
  uint64_t expected = 0;
  if (checks) {
    NESTRT_ASSIGN_OR_RETURN(expected, expect_results(step, turn));
  }
  const StepTimeout patience = step_timeout(step);
  Status status = run_on_unit(step, patience, checks);
  if (status.ok()) note_results(step);
  if (status.ok() && checks && hash_of_results(step) != expected) return heal_wrong_results(step, turn, healed);
  if (status.ok()) return status;
  if (cancelled_.load()) return Status(Code::kCancelled, std::string(status.message()));
  if (now() >= run_.deadline) return miss_deadline(step, patience, status);
  if (!run_.memory->is_safe()) {
    health_.failed(step.unit, status);
    return Status(Code::kDeviceFault, std::string(status.message()));
  }
  if (step.fallback != nullptr) return heal(step, explain(step, patience, status), turn, healed);
  if (!step.on_host) health_.failed(step.unit, status, UnitHealth::Substitute::kInvalidIndex);  // so that it is probed
  return status;
}

// Without a substitute a late result is better than none.
StepTimeout Executor::step_timeout(const PreparedStep& step) const {
  if (step.fallback == nullptr) return {.deadline = run_.deadline};
  return nestrt::step_timeout(step.times(), options_.limits, now(), run_.deadline);
}

// Where a unit is known to fail, it is asked again only by those who can afford it. One that is too slow for what is
// left of the run's time is not asked where the host would be in time.
bool Executor::goes_past_unit(const PreparedStep& step, const StepTimeout& patience) {
  if (step.fallback == nullptr) return false;
  if (health_.is_failing(step.unit)) return true;
  if (patience.is_protected || !patience.host_is_in_time) return false;
  return !patience.unit_is_in_time || health_.should_bypass(step.unit);
}

Status Executor::explain(const PreparedStep& step, const StepTimeout& patience, const Status& status) const {
  if (status.code() != Code::kDeadlineExceeded) return status;
  if (now() >= patience.deadline)
    return status.with_context(fmt::format("branch {}, given up so that the run meets its deadline", step.step.branch));
  if (patience.limit == std::chrono::nanoseconds::max()) return status;
  const std::chrono::duration<double, std::milli> limit = patience.limit;
  return status.with_context(fmt::format("branch {}, which took {:.3g} ms before, takes more than {:.3g} ms",
                                         step.step.branch, step.times().unit_us / 1e3, limit.count()));
}

// That the caller is in a hurry is no failure of the unit. But where the host would have been in time, the next run may
// be better off without it.
Status Executor::miss_deadline(const PreparedStep& step, const StepTimeout& patience, const Status& status) {
  Status late(Code::kDeadlineExceeded, std::string(status.message()));
  if (step.fallback != nullptr && (patience.host_is_in_time || host_is_in_time_))
    health_.record_missed_deadline(step.unit, late);
  return late;
}

Status Executor::heal(PreparedStep& step, const Status& why, Turn& turn, bool* healed) {
  if (!why.ok()) health_.failed(step.unit, why);
  health_.count_healed();
  healed_.store(true, std::memory_order_relaxed);
  *healed = true;
  turn.take_host(0);  // before others: it is late already
  const SteadyClock::time_point start = now();
  NESTRT_RETURN_IF_ERROR(run_on_host(step, *step.fallback));
  remember(step.fallback_us, to_us(now() - start));
  return {};
}

// A unit that misses its deadline says so itself, once it cannot touch the memory of this run any more.
Status Executor::run_on_unit(PreparedStep& step, const StepTimeout& patience, bool is_checked) {
  Submitted& submitted = submitted_[step.thread];
  Submission submission = submission_of(step);
  submission.is_checked = is_checked;
  submission.deadline = patience.deadline;
  submission.unit_deadline = deadline_after(options_.limits.timeout);
  submission.unit_limit = patience.limit;
  submission.submitter_waits = true;
  submission.completion = &step.completion;
  submission.generation = step.completion.arm();
  {
    const MutexLock lock(submitted.mutex);
    submitted.executable = step.executable.get();
    submitted.generation = submission.generation;
  }
  step.executable->submit(submission);
  // By a clock other than the steady one, only the unit itself can tell when the deadline has come.
  Status status = step.completion.wait(options_.clock == nullptr ? patience.deadline : kNoDeadline);
  if (!step.completion.done()) {
    step.executable->cancel(submission.generation);
    static_cast<void>(step.completion.wait());
  }
  const MutexLock lock(submitted.mutex);
  submitted.executable = nullptr;
  return status;
}

void Executor::note_results(const PreparedStep& step) {
  const Traffic traffic = step.executable->traffic();
  copied_.fetch_add(traffic.copied, std::memory_order_relaxed);
  handed_over_.fetch_add(traffic.handed_over, std::memory_order_relaxed);
  for (uint32_t buffer : step.whole_results) run_.memory->writers()[buffer] = number_of(step.unit);
}

// The host computes the bytes in place, and leaves others there: a unit that does not write, or that writes after it
// has said that it was done, is not taken at the word of an earlier run.
Result<uint64_t> Executor::expect_results(PreparedStep& step, Turn& turn) {
  turn.take_host(0);
  NESTRT_RETURN_IF_ERROR(run_on_host(step, *step.fallback));
  const uint64_t expected = hash_of_results(step);
  for_each_result(step, [](std::span<std::byte> bytes) {
    for (std::byte& byte : bytes) byte = ~byte;
  });
  for (uint32_t buffer : step.whole_results) run_.memory->writers()[buffer] = 0;
  turn.take_unit(step.unit, step.visit_us);
  return expected;
}

Status Executor::heal_wrong_results(PreparedStep& step, Turn& turn, bool* healed) {
  const Status wrong(Code::kDeviceFault, fmt::format("branch {}: its results are wrong", step.step.branch));
  health_.failed(step.unit, wrong);
  for (uint32_t buffer : step.whole_results) run_.memory->writers()[buffer] = 0;
  const Status stopped = health_.stop(step.unit);  // it may have said too early that it was done
  if (!stopped.ok() && !run_.memory->is_safe()) return stopped;
  return heal(step, Status(), turn, healed);
}

Status Executor::run_on_host(const PreparedStep& step, Executable& executable) {
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
  submission.writer = number_of(step.unit);
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
