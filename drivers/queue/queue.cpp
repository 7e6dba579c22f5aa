// SPDX-License-Identifier: Apache-2.0
#include "drivers/queue/queue.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "nestrt/log.h"
#include "runtime/core/run.h"
#include "runtime/platform/guard.h"

namespace nestrt::drivers {
namespace {

// Time limit for a probe, far longer than a device needs.
constexpr std::chrono::seconds kProbeTime{5};

Deadline end_of_timeout(const Submission& submission) {
  return std::min(submission.deadline, submission.unit_deadline);
}

bool is_cancelled(const Submission& submission) {
  return submission.cancelled != nullptr && submission.cancelled->load(std::memory_order_relaxed);
}

// The device does not distinguish operators, so all of the time is attributed to the first one.
void report(const Queue::Job& job, SteadyClock::time_point start, SteadyClock::time_point end) {
  for (uint32_t op : job.operators) job.submission.observer->operator_done(op, std::exchange(start, end), end);
}

}  // namespace

Result<std::shared_ptr<Queue>> Queue::create(std::string name, std::function<void()> interrupt) {
  std::shared_ptr<Queue> queue(new Queue(std::move(name), std::move(interrupt)));
  Result<NamedThread> thread =
      start_named_thread(fmt::format("nestrt-{}", queue->name_), [raw = queue.get()] { raw->serve(); });
  if (!thread) return thread.error().with_context(fmt::format("cannot start the thread of unit {}", queue->name_));
  queue->thread_ = std::move(*thread);
  return queue;
}

Queue::~Queue() {
  {
    const MutexLock lock(mutex_);
    shut_down_ = true;
    changed_.notify_all();
  }
  thread_.join();
}

void Queue::add(Job* job) {
  const MutexLock lock(mutex_);
  jobs_.push_back(job);
}

void Queue::remove(Job* job) {
  const MutexLock lock(mutex_);
  stop(job);
  while (job->state != Job::State::kIdle) changed_.wait(mutex_);
  std::erase(jobs_, job);
}

void Queue::submit(Job* job, const Submission& submission) {
  const MutexLock lock(mutex_);
  Status refused = job->state == Job::State::kIdle ? refusal(*job, submission)
                                                   : failure(Code::kUnavailable, "the program is already running");
  if (!refused.ok()) {
    submission.completion->signal(submission.generation, std::move(refused));
    return;
  }
  job->submission = submission;
  job->state = Job::State::kWaiting;
  job->number = ++num_submissions_;
  changed_.notify_all();
}

void Queue::cancel(Job* job, uint64_t generation) {
  const MutexLock lock(mutex_);
  if (job->submission.generation == generation) stop(job);
}

// Ends all jobs. Waits only for earlier submissions; other threads may submit concurrently.
void Queue::reset() {
  const MutexLock lock(mutex_);
  for (Job* job : jobs_) stop(job);
  const uint64_t last = num_submissions_;
  while (is_under_way(last)) changed_.wait(mutex_);
}

Status Queue::probe(Job& job, const Submission& submission) {
  job.is_probe = true;
  Submission probe = submission;
  probe.unit_deadline = SteadyClock::now() + kProbeTime;
  add(&job);
  const Status status = nestrt::run(probe, [&](const Submission& armed) { submit(&job, armed); });
  remove(&job);
  return status.ok() ? status : Status(Code::kUnavailable, fmt::format("{}, in a probe", status.message()));
}

void Queue::serve() {
  const MutexLock lock(mutex_);
  while (true) {
    while (!shut_down_ && next_job() == nullptr) changed_.wait(mutex_);
    if (shut_down_) return;
    run(next_job());
  }
}

// Releases the lock while the device works: the submission does not change before it is complete.
void Queue::run(Job* job) {
  job->submission.unit_deadline = job->submission.unit_deadline_from(SteadyClock::now());
  Status status = refusal(*job, job->submission);
  if (status.ok()) {
    job->state = Job::State::kRunning;
    stop_.store(false);
    {
      const MutexPause pause(mutex_);
      status = guarded([&] { return run_program(*job); });
    }
    judge(*job, status);
  }
  complete(job, std::move(status));
}

Status Queue::run_program(Job& job) {
  const Submission& submission = job.submission;
  const SteadyClock::time_point start = SteadyClock::now();
  const Status status = job.run(submission, end_of_timeout(submission), stop_);
  if (!status.ok()) return status.with_context(name_);
  if (submission.observer != nullptr) report(job, start, SteadyClock::now());
  return {};
}

// --- Requires the lock.

Queue::Job* Queue::next_job() const {
  Job* next = nullptr;
  for (Job* job : jobs_)
    if (job->state == Job::State::kWaiting && (next == nullptr || job->number < next->number)) next = job;
  return next;
}

// Returns whether a submission numbered up to `last` is pending.
bool Queue::is_under_way(uint64_t last) const {
  return std::any_of(jobs_.begin(), jobs_.end(),
                     [last](const Job* job) { return job->state != Job::State::kIdle && job->number <= last; });
}

// Returns why the submission cannot start.
Status Queue::refusal(const Job& job, const Submission& submission) const {
  if (!failure_.ok() && !job.is_probe) return failure_;
  if (is_cancelled(submission)) return failure(Code::kCancelled, "cancelled before it started");
  if (SteadyClock::now() >= end_of_timeout(submission))
    return failure(Code::kDeadlineExceeded, "the deadline passed before the program started");
  return {};
}

// Has no effect on an idle job. A running job is complete after the device has stopped.
void Queue::stop(Job* job) {
  if (job->state == Job::State::kWaiting) return complete(job, failure(Code::kCancelled, "cancelled"));
  if (job->state != Job::State::kRunning) return;
  stop_.store(true);
  interrupt_();
}

// The job may be submitted again as soon as completion is signalled.
void Queue::complete(Job* job, Status status) {
  job->state = Job::State::kIdle;
  job->submission.completion->signal(job->submission.generation, std::move(status));
  changed_.notify_all();
}

// Updates the state of the device according to the result of a run.
void Queue::judge(const Job& job, const Status& status) {
  if (status.ok()) {
    if (job.is_probe) failure_ = Status();
    return;
  }
  const bool is_unwanted =
      status.code() == Code::kCancelled ||
      (status.code() == Code::kDeadlineExceeded && job.submission.deadline < job.submission.unit_deadline);
  if (is_unwanted) return;
  failure_ = guarded([&] {
    return Status(Code::kUnavailable, fmt::format("{}; in quarantine until a probe succeeds", status.message()));
  });
  log(LogLevel::kWarning, failure_.message());
}

// Returns a failure. An accepted job is completed even if the message cannot be allocated.
Status Queue::failure(Code code, std::string_view what) const {
  return guarded([&] { return Status(code, fmt::format("{}: {}", name_, what)); });
}

}  // namespace nestrt::drivers
