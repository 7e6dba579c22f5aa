// SPDX-License-Identifier: Apache-2.0
// Queue: submissions to a device that runs one program at a time. It runs them in order on a separate thread and
// implements the guarantees of nestrt/driver/unit.h: every submission is signalled once, and its memory is not accessed
// afterwards. A driver defines its jobs. The queue is part of libnestrt only if a driver in libnestrt uses it.
//
// After a run that fails or misses the unit's deadline, the device is not trusted: the queue rejects work until probe()
// succeeds. A run whose submitter no longer waits is not a failure.
//
// Threads: all members are safe from any thread. The Queue must outlive its jobs.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "nestrt/driver/mutex.h"
#include "nestrt/driver/unit.h"
#include "runtime/platform/named_thread.h"

namespace nestrt::drivers {

class Queue {
 public:
  // A reusable program. It is owned by the caller, which must remove it before destroying it.
  struct Job {
    virtual ~Job() = default;
    // Called on the queue's thread. After it returns, nothing accesses the submission's memory, regardless of the
    // outcome. Errors: kCancelled if `stop` was set, which the queue announces by calling `interrupt`;
    // kDeadlineExceeded; kDeviceFault or another error if the device can no longer be trusted.
    virtual Status run(const Submission& submission, Deadline deadline, const std::atomic<bool>& stop) = 0;

    std::span<const uint32_t> operators;  // its operators, for observers
    bool is_probe = false;                // runs on an untrusted device and restores trust if it succeeds

    // The remaining members belong to the Queue.
    enum class State : uint8_t { kIdle, kWaiting, kRunning };
    State state = State::kIdle;
    uint64_t number = 0;
    Submission submission;
  };

  // `name` is the unit's name. `interrupt` is called under the queue's lock whenever `stop` of the running job has been
  // set. Errors: kUnavailable if no thread can be started.
  static Result<std::shared_ptr<Queue>> create(std::string name, std::function<void()> interrupt);
  ~Queue();

  void add(Job* job);
  // Removes the job. When this returns, the job is not running; a pending submission has ended with kCancelled.
  void remove(Job* job);

  // Signals completion at the end, with kUnavailable if the device is not trusted or the job is already pending.
  // Allocates nothing on success.
  void submit(Job* job, const Submission& submission);
  // Ends the job with kCancelled unless its submission of `generation` is complete.
  void cancel(Job* job, uint64_t generation);
  // Ends all jobs with kCancelled.
  void reset();
  // Runs a job that tests the device, after all earlier submissions. Errors: kUnavailable.
  Status probe(Job& job, const Submission& submission = {});

 private:
  Queue(std::string name, std::function<void()> interrupt) : name_(std::move(name)), interrupt_(std::move(interrupt)) {}

  void serve();
  void run(Job* job) NESTRT_REQUIRES(mutex_);
  Status run_program(Job& job) NESTRT_EXCLUDES(mutex_);
  Job* next_job() const NESTRT_REQUIRES(mutex_);
  bool is_under_way(uint64_t last) const NESTRT_REQUIRES(mutex_);
  Status refusal(const Job& job, const Submission& submission) const NESTRT_REQUIRES(mutex_);
  void stop(Job* job) NESTRT_REQUIRES(mutex_);
  void complete(Job* job, Status status) NESTRT_REQUIRES(mutex_);
  void judge(const Job& job, const Status& status) NESTRT_REQUIRES(mutex_);
  Status failure(Code code, std::string_view what) const;

  const std::string name_;
  const std::function<void()> interrupt_;

  Mutex mutex_;  // also guards the jobs' states
  Condition changed_;
  std::vector<Job*> jobs_ NESTRT_GUARDED_BY(mutex_);
  uint64_t num_submissions_ NESTRT_GUARDED_BY(mutex_) = 0;
  Status failure_ NESTRT_GUARDED_BY(mutex_);  // ok if the device is trusted
  bool shut_down_ NESTRT_GUARDED_BY(mutex_) = false;
  std::atomic<bool> stop_{false};  // for the running job; read without the lock

  NamedThread thread_;
};

}  // namespace nestrt::drivers
