// Executor: runs prepared schedules, one at a time. Lane 0 on the calling thread, every other lane on a thread of its
// own, which sleeps between runs. What a unit beside the CPU fails to compute, the CPU computes in its place.
//
// Steps that need no other lane run without a word to it; the others wait for a number that the awaited step sets: a
// short while awake, then asleep. Nothing is allocated on success.
// Threads: run() from one thread at a time; cancel() and the counters from any.
#pragma once

#include <atomic>
#include <chrono>
#include <deque>
#include <mutex>
#include <span>
#include <thread>
#include <vector>

#include "nestrt/session.h"
#include "runtime/session/prepared_schedule.h"
#include "runtime/session/turns.h"
#include "runtime/session/unit_health.h"

namespace nestrt {

struct ExecutorOptions {
  RunObserver* observer = nullptr;
  std::chrono::milliseconds unit_timeout{10'000};
  bool urgent = false;
  std::shared_ptr<Turns> cpu_turns;  // null: the CPU is everybody's
};

class Executor {
 public:
  Executor(const ExecutorOptions& options, UnitHealth& health) : options_(options), health_(health) {}
  ~Executor();

  // Threads for schedules of so many lanes. Errors: kUnavailable.
  Status reserve_lanes(size_t lanes);

  struct Run {
    std::span<std::byte* const> buffers;  // as Bindings
    Deadline deadline = kNoDeadline;
    uint64_t turn = 0;
    bool checks = false;  // the CPU computes again what other units have computed, and what differs is a failure
  };

  // Requires: lanes for the schedule. Errors: those of the units; kDeadlineExceeded, kCancelled.
  Status run(PreparedSchedule& schedule, const Run& run);

  // Ends the run in progress, if there is one, with kCancelled.
  void cancel();

 private:
  struct alignas(64) LaneThread {
    std::atomic<uint64_t> run{0};  // the last run that it was asked to take part in
    std::thread thread;
  };
  // What cancel() has to know of a lane.
  struct Submitted {
    std::mutex mutex;
    Executable* executable = nullptr;
    uint64_t generation = 0;
  };
  void serve(size_t lane, const std::atomic<uint64_t>& run);
  Status run_in_order();
  Status run_in_lanes();
  void run_lane(size_t lane);
  void await(const PreparedStep& step) const;
  bool has_failed() const { return failed_.load(std::memory_order_acquire); }
  void fail(Status status);

  // `ready`: since when the lane could have run it.
  Status run_step(PreparedStep& step, SteadyClock::time_point ready);
  Status compute(PreparedStep& step, bool* healed);
  Status heal(PreparedStep& step, const Status& why, bool* healed);
  Status run_on_unit(PreparedStep& step);
  Status check_results(PreparedStep& step, bool* healed);
  Status run_on_cpu(PreparedStep& step, Executable& executable);
  Submission submission_of(PreparedStep& step, Deadline deadline) const;
  uint64_t hash_of_results(const PreparedStep& step) const;
  void report(const PreparedStep& step, SteadyClock::time_point ready, SteadyClock::time_point start,
              bool healed) const;

  const ExecutorOptions options_;
  UnitHealth& health_;
  std::deque<LaneThread> threads_;   // of lanes 1, 2, ...
  std::deque<Submitted> submitted_;  // by lane
  std::atomic<bool> stopping_{false};

  PreparedSchedule* schedule_ = nullptr;  // of the run in progress
  Run run_;
  std::atomic<uint64_t> number_{0};
  std::atomic<size_t> running_lanes_{0};  // beside lane 0
  std::atomic<bool> cancelled_{false};
  std::atomic<bool> failed_{false};
  std::mutex failure_mutex_;
  Status failure_;
};

}  // namespace nestrt
