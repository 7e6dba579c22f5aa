// Device: one accelerator, which runs programs one after the other, and whether it can be trusted. Which of those that
// wait is next UnitQueue says (scheduler/unit_queue.h); no more than one at a time is with the accelerator, so that
// what is urgent waits for one program at most.
//
// A run that fails or misses the unit's deadline resets the accelerator and puts it into quarantine: it refuses work
// until probe() has seen it compute the right thing. A run that nobody waits for any more resets it only.
//
// Programs run on the thread of a submitter who waits, so that nobody has to be woken; else on a thread of the Device.
//
// Threads: all members are safe from any thread. The Device outlives its jobs.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "drivers/evta/driver/placed_program.h"
#include "drivers/evta/driver/probe_program.h"
#include "nestrt/driver/mutex.h"
#include "runtime/platform/named_thread.h"
#include "scheduler/unit_queue.h"

namespace nestrt::evta {

class Device {
 public:
  // A run of a program, asked for again and again. Belongs to the caller, who retires it before he destroys it.
  struct Job : scheduler::UnitClaim {
    PlacedProgram* program = nullptr;
    std::span<const uint32_t> operators;  // that it computes, for observers
    std::span<const std::byte> expected;  // its result, of a probe: runs on a device that is not trusted
    // The rest is the Device's.
    Submission submission;
    bool pending = false;
  };

  // The configuration is one of kConfigurations. Errors: kUnavailable, where the accelerator fails its first probe or
  // no thread is to be had.
  static Result<std::shared_ptr<Device>> create(std::string name, const Configuration& configuration,
                                                std::unique_ptr<Transport> transport);
  ~Device();

  DeviceMemory memory() { return {transport_.get(), host_visible_.get(), &constants_, &staging_}; }
  // Errors: kOutOfMemory.
  Result<std::shared_ptr<HostVisibleMemory>> allocate_shared(uint64_t bytes) {
    return host_visible_->allocate_shared(*transport_, bytes);
  }

  // Queues the job, or runs it here where the submitter waits and it is next; its completion is signalled at
  // the end, with kUnavailable where the device is in quarantine or the job is under way already. Allocates nothing on
  // success.
  void submit(Job* job, const Submission& submission);
  // Ends the job with kCancelled if its submission of that generation is not complete.
  void cancel(Job* job, uint64_t generation);
  // Forgets the job: it is not running when this returns, and its completion does not arrive any more.
  void retire(Job* job);
  // Ends all jobs with kCancelled. Errors: kDeviceFault; then the device is in quarantine.
  Status reset();
  // Runs a program whose result is known, and ends the quarantine where the result is right. Waits for the jobs before
  // it. Errors: kUnavailable with what went wrong.
  Status probe();

 private:
  enum class Stop { kNone, kCancel, kForget };

  // When the phases of a run began, and the end of the last one.
  struct Times {
    SteadyClock::time_point start, run, transfer_out, end;
  };

  Device(std::string name, std::unique_ptr<Transport> transport);

  void run_jobs();
  void run(Job* job) NESTRT_REQUIRES(mutex_);
  Job* next_job() const NESTRT_REQUIRES(mutex_);
  void wait_for_job() NESTRT_REQUIRES(mutex_);
  void stop_running(Stop stop) NESTRT_REQUIRES(mutex_);
  void complete(Job* job, Status status) NESTRT_REQUIRES(mutex_);
  Status execute(const Job& job, bool trusted) NESTRT_EXCLUDES(mutex_);
  Status run_program(const Job& job);
  static void report(const Job& job, const Times& times);
  Status wait(Deadline deadline) NESTRT_EXCLUDES(mutex_);
  static bool is_unwanted(const Job& job, const Status& status);
  void quarantine(const Status& reason) NESTRT_REQUIRES(mutex_);
  Status failure(Code code, std::string_view what) const;
  Status reset_transport();
  Status load_probe(const Configuration& configuration);

  const std::string name_;
  const std::unique_ptr<Transport> transport_;
  const std::shared_ptr<HostVisibleBlocks> host_visible_;
  SharedConstants constants_;
  StagingMemory staging_;

  Mutex probing_;  // one probe at a time
  Job probe_job_ NESTRT_GUARDED_BY(probing_);
  std::optional<ProbeProgram> probe_ NESTRT_GUARDED_BY(probing_);
  std::optional<PlacedProgram> probe_program_ NESTRT_GUARDED_BY(probing_);
  std::vector<std::byte> probe_result_ NESTRT_GUARDED_BY(probing_);
  std::vector<std::byte> probe_expected_ NESTRT_GUARDED_BY(probing_);

  Mutex mutex_;  // guards what is the Device's of jobs, too
  Condition changed_;
  scheduler::UnitQueue queue_ NESTRT_GUARDED_BY(mutex_);
  Job* running_ NESTRT_GUARDED_BY(mutex_) = nullptr;
  Stop stop_ NESTRT_GUARDED_BY(mutex_) = Stop::kNone;  // what becomes of the running job
  Status quarantine_ NESTRT_GUARDED_BY(mutex_);        // ok: trusted
  bool shut_down_ NESTRT_GUARDED_BY(mutex_) = false;

  NamedThread thread_;
};

}  // namespace nestrt::evta
