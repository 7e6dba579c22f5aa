// Queue: what has been submitted to one device. Runs it in the order of submission, on a thread of its own, and keeps
// what nestrt/unit.h promises: every submission is signalled once, and its memory is not touched afterwards.
//
// A run that fails, or misses the unit's deadline, leaves a device that cannot be trusted: the queue refuses work until
// probe() has seen it compute the right thing. That nobody waits for a run any more is no failure.
//
// Threads: all members are safe from any thread. The Queue outlives its jobs.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "drivers/null/device.h"
#include "nestrt/mutex.h"
#include "nestrt/unit.h"
#include "runtime/core/named_thread.h"

namespace nestrt::null {

class Queue {
 public:
  // A program that is asked for again and again. Belongs to the caller, who removes it before he destroys it.
  struct Job {
    std::span<const Copy> program;
    std::span<const uint32_t> operators;  // that it computes, for observers
    bool is_probe = false;                // runs on a device that is not trusted; copies kProbeBytes

    // The rest is the Queue's.
    enum class State : uint8_t { kIdle, kWaiting, kRunning };
    State state = State::kIdle;
    uint64_t turn = 0;
    Submission submission;
  };

  // `name` is the unit's. Errors: kUnavailable, where no thread is to be had.
  static Result<std::shared_ptr<Queue>> create(std::string name, std::shared_ptr<Device> device);
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
  // Runs a program whose result is known, after what was submitted before. Errors: kUnavailable.
  Status probe();

 private:
  static constexpr size_t kProbeBytes = 64;

  Queue(std::string name, std::shared_ptr<Device> device) : name_(std::move(name)), device_(std::move(device)) {}

  void serve();
  void run(Job* job) NESTRT_REQUIRES(mutex_);
  Status run_program(const Job& job) NESTRT_EXCLUDES(mutex_);
  Job* next_job() const NESTRT_REQUIRES(mutex_);
  bool is_under_way(uint64_t last) const NESTRT_REQUIRES(mutex_);
  Status refusal(const Job& job, const Submission& submission) const NESTRT_REQUIRES(mutex_);
  void stop(Job* job) NESTRT_REQUIRES(mutex_);
  void complete(Job* job, Status status) NESTRT_REQUIRES(mutex_);
  void judge(const Job& job, const Status& status) NESTRT_REQUIRES(mutex_);
  Status failure(Code code, std::string_view what) const;

  const std::string name_;
  const std::shared_ptr<Device> device_;

  Mutex mutex_;  // guards the jobs' states, too
  Condition changed_;
  std::vector<Job*> jobs_ NESTRT_GUARDED_BY(mutex_);
  uint64_t turns_ NESTRT_GUARDED_BY(mutex_) = 0;
  Status failure_ NESTRT_GUARDED_BY(mutex_);  // ok: the device is trusted
  bool shut_down_ NESTRT_GUARDED_BY(mutex_) = false;
  std::atomic<bool> stop_{false};  // the running job; read without the lock

  NamedThread thread_;
};

}  // namespace nestrt::null
