// SPDX-License-Identifier: Apache-2.0
#include "drivers/evta/driver/device.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "nestrt/log.h"
#include "runtime/core/run.h"
#include "runtime/platform/guard.h"

namespace nestrt::evta {
namespace {

// Time limit for a probe, which needs only a few hundred cycles.
constexpr std::chrono::seconds kProbeTime{5};

Deadline end_of_timeout(const Submission& submission) {
  return std::min(submission.deadline, submission.unit_deadline);
}

}  // namespace

Result<std::shared_ptr<Device>> Device::create(std::string name, const Configuration& configuration,
                                               std::unique_ptr<Transport> transport) {
  std::shared_ptr<Device> device(new Device(std::move(name), std::move(transport)));
  NESTRT_ASSIGN_OR_RETURN(device->thread_, start_named_thread(fmt::format("nestrt-{}", device->name_),
                                                              [raw = device.get()] { raw->run_jobs(); }));
  NESTRT_RETURN_IF_ERROR(device->load_probe(configuration));
  NESTRT_RETURN_IF_ERROR(device->probe());
  return device;
}

Device::Device(std::string name, std::unique_ptr<Transport> transport)
    : name_(std::move(name)),
      transport_(std::move(transport)),
      host_visible_(HostVisibleBlocks::of(transport_->memory_name())) {}

Device::~Device() {
  {
    const MutexLock lock(mutex_);
    shut_down_ = true;
    transport_->interrupt();
    changed_.notify_all();
  }
  thread_.join();
}

Status Device::load_probe(const Configuration& configuration) {
  const MutexLock probing(probing_);
  NESTRT_ASSIGN_OR_RETURN(probe_, ProbeProgram::create(configuration));
  NESTRT_ASSIGN_OR_RETURN(probe_program_, PlacedProgram::create(memory(), probe_->bound_program(), nullptr));
  probe_job_.program = &*probe_program_;
  probe_expected_ = probe_->expected();
  probe_job_.expected = probe_expected_;
  probe_result_.resize(probe_expected_.size());
  return {};
}

void Device::submit(Job* job, const Submission& submission) {
  const MutexLock lock(mutex_);
  const bool trusted = quarantine_.ok() || !job->expected.empty();
  if (!trusted || job->pending) {
    submission.completion->signal(
        submission.generation, trusted ? failure(Code::kUnavailable, "the program is already running") : quarantine_);
    return;
  }
  if (submission.cancelled != nullptr && submission.cancelled->load()) {  // cancelled before there was a job to cancel
    submission.completion->signal(submission.generation, failure(Code::kCancelled, "cancelled"));
    return;
  }
  job->submission = submission;
  job->pending = true;
  job->urgent = submission.urgent;
  job->deadline = submission.deadline;
  queue_.add(*job, SteadyClock::now());
  if (submission.submitter_waits && running_ == nullptr && next_job() == job) return run(job);
  changed_.notify_all();
}

void Device::cancel(Job* job, uint64_t generation) {
  const MutexLock lock(mutex_);
  if (!job->pending || job->submission.generation != generation) return;
  if (queue_.remove(*job)) return complete(job, failure(Code::kCancelled, "cancelled before it started"));
  if (stop_ == Stop::kNone) stop_ = Stop::kCancel;
  transport_->interrupt();
}

void Device::retire(Job* job) {
  const MutexLock lock(mutex_);
  if (queue_.forget(*job)) job->pending = false;
  if (running_ == job) stop_running(Stop::kForget);
}

// Waits until no job is running or queued. Other threads may submit jobs while it waits for a run to end.
Status Device::reset() {
  const MutexLock lock(mutex_);
  while (queue_.oldest() != nullptr || running_ != nullptr) {
    while (scheduler::UnitClaim* const claim = queue_.oldest()) {
      queue_.remove(*claim);
      complete(static_cast<Job*>(claim), failure(Code::kCancelled, "was reset"));
    }
    if (running_ != nullptr) stop_running(Stop::kCancel);
  }
  const Status status = reset_transport();  // nothing is running or queued
  if (!status.ok()) quarantine(status);
  return status;
}

Status Device::probe() {
  const MutexLock probing(probing_);
  std::byte* const buffers[] = {probe_result_.data()};
  Submission submission;
  submission.bindings.buffers = buffers;
  const Status status = nestrt::run(submission, [this](const Submission& armed) { submit(&probe_job_, armed); });
  if (status.ok() || status.code() == Code::kOutOfMemory) return status;
  return Status(Code::kUnavailable, fmt::format("the probe of {} failed: {}", name_, status.message()));
}

void Device::run_jobs() {
  const MutexLock lock(mutex_);
  while (true) {
    Job* job = nullptr;
    while (!shut_down_ && (running_ != nullptr || (job = next_job()) == nullptr)) wait_for_job();
    if (shut_down_) return;
    run(job);
  }
}

// Releases the lock during the run, and holds it while completing the job.
void Device::run(Job* job) {
  queue_.begin(*job, SteadyClock::now());
  running_ = job;
  stop_ = Stop::kNone;
  job->submission.unit_deadline = job->submission.unit_deadline_from(SteadyClock::now());
  const bool trusted = quarantine_.ok();
  Status status = quarantine_;
  {
    const MutexPause pause(mutex_);
    if (trusted || !job->expected.empty()) status = execute(*job, trusted);
  }
  queue_.end(*job, SteadyClock::now());
  if (stop_ == Stop::kForget) {
    queue_.forget(*job);
    job->pending = false;
  } else {
    complete(job, std::move(status));
  }
  running_ = nullptr;
  changed_.notify_all();
}

Status Device::execute(const Job& job, bool trusted) {
  if (SteadyClock::now() >= end_of_timeout(job.submission))
    return failure(Code::kDeadlineExceeded, "the deadline passed before the program started");
  Status status = trusted ? Status() : reset_transport();
  if (status.ok()) status = guarded([&] { return run_program(job); });
  if (status.ok() && trusted) return status;
  const Status reset = status.ok() ? status : reset_transport();  // the program may still be running
  const MutexLock lock(mutex_);
  if (status.ok())
    quarantine_ = Status();
  else if (!is_unwanted(job, status) || !reset.ok())
    quarantine(status);
  return status;
}

// Returns whether the run ended because its submitter no longer waits.
bool Device::is_unwanted(const Job& job, const Status& status) {
  if (status.code() == Code::kCancelled) return true;
  return status.code() == Code::kDeadlineExceeded && job.submission.deadline < job.submission.unit_deadline;
}

Status Device::run_program(const Job& job) {
  const bool is_probe = !job.expected.empty();
  Times times;
  times.start = SteadyClock::now();
  NESTRT_RETURN_IF_ERROR(job.program->place(job.submission.bindings.buffers));
  NESTRT_RETURN_IF_ERROR(job.program->give_inputs(job.submission));
  times.run = SteadyClock::now();
  NESTRT_RETURN_IF_ERROR(transport_->start(job.program->device_program()));
  NESTRT_RETURN_IF_ERROR(wait(is_probe ? times.run + kProbeTime : end_of_timeout(job.submission)));
  times.transfer_out = SteadyClock::now();
  NESTRT_RETURN_IF_ERROR(job.program->take_results(job.submission));
  times.end = SteadyClock::now();
  if (is_probe && !std::equal(job.expected.begin(), job.expected.end(), job.submission.bindings.buffers[0]))
    return Status(Code::kDeviceFault, "the accelerator computes wrong results");
  if (job.submission.observer != nullptr) report(job, times);
  return {};
}

// The accelerator does not distinguish operators, so all of the time is attributed to the first one.
void Device::report(const Job& job, const Times& times) {
  RunObserver& observer = *job.submission.observer;
  observer.phase_done(job.operators[0], Phase::kTransferIn, times.start, times.run);
  observer.phase_done(job.operators[0], Phase::kRun, times.run, times.transfer_out);
  observer.phase_done(job.operators[0], Phase::kTransferOut, times.transfer_out, times.end);
  SteadyClock::time_point start = times.start;
  for (uint32_t op : job.operators) observer.operator_done(op, std::exchange(start, times.end), times.end);
}

// Waits for the running program. Ignores an interrupt that was meant for the previous job but arrived too late for it.
Status Device::wait(Deadline deadline) {
  while (true) {
    const Status status = transport_->wait(deadline);
    if (status.code() != Code::kCancelled) return status;
    const MutexLock lock(mutex_);
    if (stop_ != Stop::kNone || shut_down_) return failure(Code::kCancelled, "the run was cancelled");
  }
}

// --- Requires the lock.

Device::Job* Device::next_job() const { return static_cast<Job*>(queue_.next(SteadyClock::now())); }

// Waits for the next job. The queue may delay jobs until a given time.
void Device::wait_for_job() {
  if (running_ == nullptr && queue_.oldest() != nullptr)
    changed_.wait_until(mutex_, queue_.reserved_until());
  else
    changed_.wait(mutex_);
}

void Device::stop_running(Stop stop) {
  const Job* const job = running_;
  stop_ = stop;
  transport_->interrupt();
  while (running_ == job) changed_.wait(mutex_);
}

void Device::complete(Job* job, Status status) {
  job->pending = false;
  job->submission.completion->signal(job->submission.generation, std::move(status));
}

void Device::quarantine(const Status& reason) {
  quarantine_ = guarded([&] {
    return Status(Code::kUnavailable, fmt::format("{} is in quarantine after a failure: {}", name_, reason.message()));
  });
  log(LogLevel::kWarning, quarantine_.message());
}

// --- Runs on threads that cannot report exceptions: an accepted job is completed even if memory is exhausted.

Status Device::failure(Code code, std::string_view what) const {
  return guarded([&] { return Status(code, fmt::format("{}: {}", name_, what)); });
}

// Resets the accelerator. If it did not stop, it may still write to host-visible memory.
Status Device::reset_transport() {
  return guarded([&] {
    const Status status = transport_->reset();
    status.ok() ? host_visible_->set_safe(*transport_) : host_visible_->set_unsafe(*transport_);
    return status;
  });
}

}  // namespace nestrt::evta
