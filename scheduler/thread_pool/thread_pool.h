// ThreadPool: the cores that kernels share. One pool serves every session whose units share it: those of one
// open_units() in C++, those created with the same units and number of threads in C.
//
// How it works: a caller opens a job in one of a fixed number of slots and starts on its indices at once; workers
// that look for work join any open job and claim indices from the same counter. The caller returns when no index is
// left and every worker has gone. So a job never waits for a worker that is busy elsewhere, jobs of several sessions
// proceed side by side, and nothing is allocated.
// Workers look for work for `spin` after their last job, then sleep: an idle pool costs no CPU.
//
// With one thread there are no workers: everything runs on the caller's thread, in order.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

#include "nestrt/parallel.h"
#include "nestrt/result.h"

namespace nestrt::scheduler {

struct ThreadPoolOptions {
  int num_threads = 0;                 // the caller included; 0: available_cores()
  std::chrono::microseconds spin{50};  // 0: sleep at once
};

// The cores that this process may use (its CPU affinity), at least 1.
int available_cores();

class ThreadPool final : public ParallelRunner {
 public:
  static constexpr int kMaxThreads = 256;

  // Errors: kInvalidArgument, kUnavailable (no more threads to be had).
  static Result<std::unique_ptr<ThreadPool>> create(const ThreadPoolOptions& options = {});
  // Requires: no parallel_for is running. Joins the workers.
  ~ThreadPool() override;

  int num_threads() const override { return num_threads_; }
  void parallel_for(int64_t count, FunctionRef<void(int64_t index, int slot)> task) override;

 private:
  using Task = FunctionRef<void(int64_t, int)>;

  // Belongs to the pool, not to the caller's stack: a worker may still be looking at it when the caller has returned.
  struct alignas(64) Job {
    static constexpr uint32_t kOpen = uint32_t{1} << 31;
    std::atomic<uint32_t> state{0};  // kOpen while workers may join, plus the number of workers inside
    const Task* task = nullptr;      // task and count change only while state is 0
    int64_t count = 0;
    alignas(64) std::atomic<int64_t> next{0};
  };
  static constexpr int kMaxJobs = 64;

  explicit ThreadPool(const ThreadPoolOptions& options);
  Status start();
  void work(int slot);
  bool help(int slot);
  bool join(Job& job, int slot);
  void sleep_until_changed(uint32_t epoch);
  void wake(int64_t workers);
  int claim_slot();
  void run_job(int index, int64_t count, const Task& task);
  void close(Job& job);
  static bool drain(Job& job, int slot);

  int num_threads_;
  std::chrono::microseconds spin_;
  std::array<Job, kMaxJobs> jobs_;
  std::atomic<uint64_t> claimed_{0};  // bit per job that a caller has taken
  std::atomic<uint64_t> open_{0};     // bit per job that workers may join; a hint: the truth is in Job::state
  std::atomic<uint32_t> epoch_{0};    // changes whenever there is something new to look at
  std::atomic<int> running_{0};       // workers that have begun to work
  std::atomic<int> sleepers_{0};
  std::atomic<bool> stopping_{false};
  std::vector<std::thread> workers_;
};

}  // namespace nestrt::scheduler
