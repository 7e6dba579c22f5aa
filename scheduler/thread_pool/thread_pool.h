// SPDX-License-Identifier: Apache-2.0
// ThreadPool: the cores that kernels share. One pool serves all sessions that share its units: in C++ the units of one
// open_units() call, in C the units created with the same names and number of threads.
//
// How it works: a caller opens a job in one of a fixed number of slots and starts on its indices immediately. Idle
// workers join any open job and claim indices from the same counter. The caller returns when no index is left and every
// worker has left the job. A job therefore never waits for a worker that is busy elsewhere, jobs of several sessions
// run concurrently, and nothing is allocated.
// After their last job, workers poll for work for `spin`, then sleep, so an idle pool uses no CPU.
//
// Lanes may wait for each other. Each lane has a dedicated worker, so only one caller at a time can run lanes. Lanes
// use the last workers; jobs restricted to a share of the cores use the first.
//
// A job may be restricted to some of the workers, so that concurrent jobs divide the cores. A job may be urgent:
// workers check for urgent jobs first, and leave other jobs between two indices to run them. Before each index, the
// callers of other jobs wait for at most kMaxPassed urgent jobs.
//
// With one thread there are no workers, and everything runs in order on the caller's thread. The same applies in a
// child process created by fork(), which has no workers.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <vector>

#include "nestrt/result.h"
#include "runtime/core/host.h"
#include "runtime/kernel/parallel.h"
#include "runtime/platform/named_thread.h"

namespace nestrt::scheduler {

struct ThreadPoolOptions {
  int num_threads = 0;                 // including the caller; 0: available_cores()
  std::chrono::microseconds spin{50};  // 0: sleep immediately
};

// Returns the number of cores that this process may use (its CPU affinity), at least 1.
int available_cores();

// A source of threads that jobs share: a pool or a substitute for one.
class SharedRunner : public ParallelRunner {
 public:
  using ParallelRunner::parallel_for;
  // The `slot` passed to `task` is less than share.threads.
  virtual void parallel_for(int64_t count, FunctionRef<void(int64_t index, int slot)> task, const CoreShare& share) = 0;
};

class ThreadPool final : public SharedRunner {
 public:
  static constexpr int kMaxThreads = 256;
  static constexpr uint32_t kMaxPassed = 16;

  // Errors: kInvalidArgument, kUnavailable (no more threads can be created).
  static Result<std::unique_ptr<ThreadPool>> create(const ThreadPoolOptions& options = {});
  // Joins the workers. Requires: no parallel_for is running.
  ~ThreadPool() override;

  int num_threads() const override { return num_threads_; }
  void parallel_for(int64_t count, FunctionRef<void(int64_t index, int slot)> task) override {
    parallel_for(count, task, CoreShare());
  }
  void parallel_for(int64_t count, FunctionRef<void(int64_t index, int slot)> task, const CoreShare& share) override;

  // Runs lane(0) on the calling thread and lane(1), ..., lane(lanes - 1) on workers, all concurrently. Returns when all
  // have returned. Lanes may call parallel_for; they divide the pool if each passes a share of num_threads() / lanes
  // threads with its own number as the index. If there are too few threads, or another caller is running lanes, runs
  // nothing and returns false.
  bool run_lanes(int lanes, FunctionRef<void(int)> lane);

 private:
  using Task = FunctionRef<void(int64_t, int)>;

  // A range of worker numbers, starting at 1: [begin, end).
  struct Workers {
    int begin = 1;
    int end = 1;
  };

  // Owned by the pool rather than by the caller's stack, because a worker may still read it after the caller has
  // returned.
  struct alignas(64) Job {
    static constexpr uint32_t kOpen = uint32_t{1} << 31;
    std::atomic<uint32_t> state{0};  // kOpen while workers may join, plus the number of workers in the job
    const Task* task = nullptr;      // task and count change only while state is 0
    int64_t count = 0;
    bool urgent = false;
    // The range of workers that may join. It is only a hint, which workers read before joining.
    std::atomic<int> begin{1}, end{1};
    // The number of claimed indices. take() assigns indices from both ends.
    alignas(64) std::atomic<int64_t> claimed{0};
    std::atomic<int64_t> front{0}, back{0};

    // Returns the next index for a slot, or -1 if none is left. Even slots count up from the first index, odd slots
    // count down from the last. If consecutive operators are split in the same way, each thread reuses its cached data.
    int64_t take(int slot);
  };
  static constexpr int kMaxJobs = 64;

  explicit ThreadPool(const ThreadPoolOptions& options);
  Status start();
  void work(int worker);
  bool run_lane(int worker);
  bool help(int worker);
  bool help(int worker, uint64_t jobs);
  bool join(Job& job, int worker);
  void sleep_until_changed(uint32_t epoch);
  void wake(int64_t workers);
  Workers workers_of(const CoreShare& share) const;
  int claim_slot();
  void run_job(int index, int64_t count, const Task& task, Workers workers, bool urgent);
  void close(Job& job);
  bool drain(Job& job, int slot);
  bool yield_to_urgent(int slot);

  const ForkOrigin origin_;
  int num_threads_;
  std::chrono::microseconds spin_;
  std::array<Job, kMaxJobs> jobs_;
  std::atomic<uint64_t> claimed_{0};      // one bit per slot in use by a caller
  std::atomic<uint64_t> open_{0};         // one bit per job that workers may join; a hint, because Job::state decides
  std::atomic<uint64_t> urgent_{0};       // one bit per open urgent job
  std::atomic<uint32_t> urgent_over_{0};  // number of finished urgent jobs
  std::array<std::atomic<int>, kMaxThreads> lane_of_{};  // by worker: the lane to run; 0: no lane
  const FunctionRef<void(int)>* lane_ = nullptr;         // the function of the lanes
  std::atomic<int> running_lanes_{0};                    // excluding the caller's lane
  std::atomic<bool> has_lanes_{false};
  std::atomic<uint32_t> epoch_{0};  // changes whenever there is new work
  std::atomic<int> running_{0};     // workers that have started
  std::atomic<int> sleepers_{0};
  std::atomic<bool> stopping_{false};
  std::vector<NamedThread> workers_;
};

// The part of the pool that a kernel may use. The pool must outlive it.
class PoolShareRunner final : public ParallelRunner {
 public:
  PoolShareRunner(SharedRunner& pool, const CoreShare& share) : pool_(pool), share_(share) {}
  int num_threads() const override {
    return share_.threads > 0 && share_.threads < pool_.num_threads() ? share_.threads : pool_.num_threads();
  }
  void parallel_for(int64_t count, FunctionRef<void(int64_t index, int slot)> task) override {
    pool_.parallel_for(count, task, share_);
  }

 private:
  SharedRunner& pool_;
  const CoreShare share_;
};

}  // namespace nestrt::scheduler
