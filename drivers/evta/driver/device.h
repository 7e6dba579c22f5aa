// SPDX-License-Identifier: Apache-2.0
// Device: runs programs on one accelerator, one after another, and tracks whether it can be trusted. UnitQueue
// (scheduler/unit_queue.h) selects the next job. The accelerator has at most one program at a time, so an urgent job
// waits for at most one.
//
// A run that fails or misses the unit's deadline resets the accelerator and quarantines it: it rejects work until
// probe() succeeds. A run whose submitter no longer waits only causes a reset.
//
// Programs run on the submitter's thread if it waits, so that no thread has to be woken, otherwise on a thread of the
// Device.
//
// Threads: all members are safe from any thread. The Device must outlive its jobs.
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
  // A reusable run of a program. It is owned by the caller, which must retire it before destroying it.
  struct Job : scheduler::UnitClaim {
    PlacedProgram* program = nullptr;
    std::span<const uint32_t> operators;  // its operators, for observers
    std::span<const std::byte> expected;  // expected result of a probe, which also runs on a quarantined device
    // The remaining members belong to the Device.
    Submission submission;
    bool pending = false;
  };

  // The configuration must be from read_configuration(). Errors: kUnavailable if the accelerator fails its first probe
  // or no thread can be started.
  static Result<std::shared_ptr<Device>> create(std::string name, const Configuration& configuration,
                                                std::unique_ptr<Transport> transport);
  ~Device();

  DeviceMemory memory() { return {transport_.get(), host_visible_.get(), &constants_, &staging_}; }
  // Errors: kOutOfMemory.
  Result<std::shared_ptr<HostVisibleMemory>> allocate_shared(uint64_t bytes) {
    return host_visible_->allocate_shared(*transport_, bytes);
  }

  // Queues the job, or runs it on this thread if the submitter waits and the job is next. Signals completion at the
  // end, with kUnavailable if the device is quarantined or the job is already pending. Allocates nothing on success.
  void submit(Job* job, const Submission& submission);
  // Ends the job with kCancelled unless its submission of `generation` is complete.
  void cancel(Job* job, uint64_t generation);
  // Removes the job. When this returns, the job is not running, and its completion will not be signalled.
  void retire(Job* job);
  // Ends all jobs with kCancelled. Errors: kDeviceFault; the device is then quarantined.
  Status reset();
  // Runs a program with a known result and ends the quarantine if the result is correct. Waits for earlier jobs.
  // Errors: kUnavailable, with the reason.
  Status probe();

 private:
  enum class Stop { kNone, kCancel, kForget };

  // Start of each phase of a run, and the end of the last one.
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

  Mutex probing_;  // serialises probes
  Job probe_job_ NESTRT_GUARDED_BY(probing_);
  std::optional<ProbeProgram> probe_ NESTRT_GUARDED_BY(probing_);
  std::optional<PlacedProgram> probe_program_ NESTRT_GUARDED_BY(probing_);
  std::vector<std::byte> probe_result_ NESTRT_GUARDED_BY(probing_);
  std::vector<std::byte> probe_expected_ NESTRT_GUARDED_BY(probing_);

  Mutex mutex_;  // also guards the Device's members of jobs
  Condition changed_;
  scheduler::UnitQueue queue_ NESTRT_GUARDED_BY(mutex_);
  Job* running_ NESTRT_GUARDED_BY(mutex_) = nullptr;
  Stop stop_ NESTRT_GUARDED_BY(mutex_) = Stop::kNone;  // requested end of the running job
  Status quarantine_ NESTRT_GUARDED_BY(mutex_);        // ok if the device is trusted
  bool shut_down_ NESTRT_GUARDED_BY(mutex_) = false;

  NamedThread thread_;
};

}  // namespace nestrt::evta
