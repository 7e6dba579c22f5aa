// Queue: what has been submitted to one device that runs one program at a time. Runs it in the order of submission, on
// a thread of its own, and keeps what nestrt/driver/unit.h promises: every submission is signalled once, and its memory
// is not touched afterwards. A driver says what a job is; it is no part of libnestrt unless one there uses it.
//
// A run that fails, or misses the unit's deadline, leaves a device that cannot be trusted: the queue refuses work until
// probe() has seen it compute the right thing. That nobody waits for a run any more is no failure.
//
// Threads: all members are safe from any thread. The Queue outlives its jobs.
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
  // A program that is asked for again and again. Belongs to the caller, who removes it before he destroys it.
  struct Job {
    virtual ~Job() = default;
    // On the queue's thread. Nothing touches the submission's memory when it returns, whatever the outcome. Errors:
    // kCancelled where `stop` has been set, which the queue's `interrupt` makes it look at; kDeadlineExceeded;
    // kDeviceFault and others where the device cannot be trusted any more.
    virtual Status run(const Submission& submission, Deadline deadline, const std::atomic<bool>& stop) = 0;

    std::span<const uint32_t> operators;  // that it computes, for observers
    bool is_probe = false;                // runs on a device that is not trusted, and ends that where it succeeds

    // The rest is the Queue's.
    enum class State : uint8_t { kIdle, kWaiting, kRunning };
    State state = State::kIdle;
    uint64_t turn = 0;
    Submission submission;
  };

  // `name` is the unit's. `interrupt` is called under the queue's lock, whenever `stop` of the running job has been
  // set. Errors: kUnavailable, where no thread is to be had.
  static Result<std::shared_ptr<Queue>> create(std::string name, std::function<void()> interrupt);
  ~Queue();

  void add(Job* job);
  // The job is not running when this returns; what was under way has ended with kCancelled.
  void remove(Job* job);

  // Its completion is signalled at the end, with kUnavailable where the device cannot be trusted or the job is under
  // way already. Allocates nothing on success.
  void submit(Job* job, const Submission& submission);
  // Ends the job with kCancelled if its submission of that generation is not complete.
  void cancel(Job* job, uint64_t generation);
  // Ends all jobs with kCancelled.
  void reset();
  // Runs a job whose outcome says whether the device works, after what was submitted before. Errors: kUnavailable.
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

  Mutex mutex_;  // guards the jobs' states, too
  Condition changed_;
  std::vector<Job*> jobs_ NESTRT_GUARDED_BY(mutex_);
  uint64_t turns_ NESTRT_GUARDED_BY(mutex_) = 0;
  Status failure_ NESTRT_GUARDED_BY(mutex_);  // ok: the device is trusted
  bool shut_down_ NESTRT_GUARDED_BY(mutex_) = false;
  std::atomic<bool> stop_{false};  // the running job; read without the lock

  NamedThread thread_;
};

}  // namespace nestrt::drivers
