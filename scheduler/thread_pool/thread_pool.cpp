// SPDX-License-Identifier: Apache-2.0
#include "scheduler/thread_pool/thread_pool.h"

#include <fmt/core.h>
#include <sched.h>

#include <algorithm>
#include <bit>
#include <string>

#include "runtime/platform/spin.h"

namespace nestrt::scheduler {
int available_cores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) == 0) return std::max(1, CPU_COUNT(&set));
  return static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
}

Result<std::unique_ptr<ThreadPool>> ThreadPool::create(const ThreadPoolOptions& options) {
  if (options.num_threads < 0 || options.num_threads > kMaxThreads)
    return Status(Code::kInvalidArgument,
                  fmt::format("invalid number of threads {}; expected 1 to {}, or 0 for all cores", options.num_threads,
                              kMaxThreads));
  std::unique_ptr<ThreadPool> pool(new ThreadPool(options));
  NESTRT_RETURN_IF_ERROR(pool->start());
  return pool;
}

ThreadPool::ThreadPool(const ThreadPoolOptions& options)
    : num_threads_(options.num_threads == 0 ? std::min(available_cores(), kMaxThreads) : options.num_threads),
      spin_(options.spin) {}

Status ThreadPool::start() {
  workers_.reserve(static_cast<size_t>(num_threads_ - 1));
  for (int slot = 1; slot < num_threads_; ++slot) {
    Result<NamedThread> started = start_named_thread(fmt::format("nestrt-{}", slot), [this, slot] { work(slot); });
    if (!started)
      return Status(Code::kUnavailable, fmt::format("cannot start thread {} of {}: {}; request fewer threads", slot,
                                                    num_threads_, started.error().message()));
    workers_.push_back(std::move(*started));
  }
  // Waits for the threads, because starting them allocates memory, and the first run must not allocate.
  for (int running = running_.load(); running < num_threads_ - 1; running = running_.load()) running_.wait(running);
  return {};
}

ThreadPool::~ThreadPool() {
  stopping_.store(true);
  epoch_.fetch_add(1);
  epoch_.notify_all();
  for (NamedThread& worker : workers_) worker.join();
}

void ThreadPool::parallel_for(int64_t count, Task task, const CoreShare& share) {
  const Workers workers = workers_of(share);
  const bool has_helpers = workers.begin < workers.end && !origin_.in_child();
  const int index = count > 1 && has_helpers ? claim_slot() : -1;
  if (index >= 0) return run_job(index, count, task, workers, share.urgent);
  for (int64_t i = 0; i < count; ++i) task(i, 0);
}

ThreadPool::Workers ThreadPool::workers_of(const CoreShare& share) const {
  if (share.threads <= 0 || share.threads >= num_threads_) return {1, num_threads_};
  const int helpers = share.threads - 1;
  const int begin = std::min(1 + share.index * helpers, num_threads_);
  return {begin, std::min(begin + helpers, num_threads_)};
}

// Returns -1 if all slots are in use.
int ThreadPool::claim_slot() {
  uint64_t claimed = claimed_.load(std::memory_order_relaxed);
  while (claimed != ~uint64_t{0}) {
    const int index = std::countr_one(claimed);
    // Acquire makes all effects of the previous job in this slot visible.
    if (claimed_.compare_exchange_weak(claimed, claimed | uint64_t{1} << index, std::memory_order_acquire,
                                       std::memory_order_relaxed))
      return index;
  }
  return -1;
}

void ThreadPool::run_job(int index, int64_t count, const Task& task, Workers workers, bool urgent) {
  Job& job = jobs_[static_cast<size_t>(index)];
  const uint64_t bit = uint64_t{1} << index;
  job.task = &task;
  job.count = count;
  job.urgent = urgent;
  job.begin.store(workers.begin, std::memory_order_relaxed);
  job.end.store(workers.end, std::memory_order_relaxed);
  for (std::atomic<int64_t>* counter : {&job.claimed, &job.front, &job.back})
    counter->store(0, std::memory_order_relaxed);
  job.state.store(Job::kOpen, std::memory_order_release);
  if (urgent) urgent_.fetch_or(bit);
  open_.fetch_or(bit);
  const bool everybody = workers.end - workers.begin == num_threads_ - 1;
  wake(everybody ? count - 1 : num_threads_);  // notify_one() cannot select which workers it wakes

  drain(job, 0);
  open_.fetch_and(~bit);
  if (urgent) {
    urgent_.fetch_and(~bit);
    urgent_over_.fetch_add(1);
    urgent_over_.notify_all();
  }
  close(job);
  claimed_.fetch_and(~bit, std::memory_order_release);
}

// Prevents further workers from joining, and waits until all have left.
void ThreadPool::close(Job& job) {
  if ((job.state.fetch_and(~Job::kOpen, std::memory_order_acq_rel) & ~Job::kOpen) == 0) return;
  wait_until(job.state, spin_, [](uint32_t state) { return state == 0; });
}

int64_t ThreadPool::Job::take(int slot) {
  if (claimed.fetch_add(1, std::memory_order_relaxed) >= count) return -1;
  if (slot % 2 == 0) return front.fetch_add(1, std::memory_order_relaxed);
  return count - 1 - back.fetch_add(1, std::memory_order_relaxed);
}

// Runs indices until none is left or, on a worker, until an urgent job arrives. Returns whether it ran any.
bool ThreadPool::drain(Job& job, int slot) {
  const Task& task = *job.task;
  bool any = false;
  while (job.urgent || yield_to_urgent(slot)) {
    const int64_t index = job.take(slot);
    if (index < 0) break;
    task(index, slot);
    any = true;
  }
  return any;
}

// Called before each index of non-urgent work. Returns false if a worker has to leave. The caller instead waits for a
// limited number of urgent jobs, so that its work progresses regardless of their number.
bool ThreadPool::yield_to_urgent(int slot) {
  if (urgent_.load(std::memory_order_relaxed) == 0) return true;
  if (slot != 0) return false;
  const uint32_t first = urgent_over_.load();
  for (uint32_t over = first; urgent_.load() != 0 && over - first < kMaxPassed; over = urgent_over_.load())
    urgent_over_.wait(over);
  return true;
}

bool ThreadPool::join(Job& job, int worker) {
  const auto may_join = [&] {
    return worker >= job.begin.load(std::memory_order_relaxed) && worker < job.end.load(std::memory_order_relaxed);
  };
  uint32_t state = job.state.load(std::memory_order_relaxed);
  do {
    if ((state & Job::kOpen) == 0 || !may_join()) return false;
  } while (!job.state.compare_exchange_weak(state, state + 1, std::memory_order_acquire, std::memory_order_relaxed));
  const bool any = may_join() && drain(job, worker - job.begin.load(std::memory_order_relaxed) + 1);
  // The last worker to leave wakes the caller, which may be asleep.
  if (job.state.fetch_sub(1, std::memory_order_release) == 1) job.state.notify_one();
  return any;
}

bool ThreadPool::run_lanes(int lanes, FunctionRef<void(int)> lane) {
  if (lanes > num_threads_ || origin_.in_child() || has_lanes_.exchange(true, std::memory_order_acquire)) return false;
  lane_ = &lane;
  running_lanes_.store(lanes - 1, std::memory_order_relaxed);
  for (int number = 1; number < lanes; ++number)
    lane_of_[static_cast<size_t>(num_threads_ - lanes + number)].store(number, std::memory_order_release);
  wake(num_threads_);
  lane(0);
  wait_until(running_lanes_, spin_, [](int running) { return running == 0; });
  has_lanes_.store(false, std::memory_order_release);
  return true;
}

// Runs the lane assigned to the worker, if any. Returns whether there was one.
bool ThreadPool::run_lane(int worker) {
  std::atomic<int>& asked = lane_of_[static_cast<size_t>(worker)];
  const int lane = asked.load(std::memory_order_acquire);
  if (lane == 0) return false;
  asked.store(0, std::memory_order_relaxed);
  (*lane_)(lane);
  if (running_lanes_.fetch_sub(1, std::memory_order_acq_rel) == 1) running_lanes_.notify_one();
  return true;
}

// Tries to join every open job once, urgent ones first. Returns whether the worker ran anything.
bool ThreadPool::help(int worker) {
  const uint64_t urgent = urgent_.load();
  return (urgent != 0 && help(worker, urgent)) || help(worker, open_.load() & ~urgent);
}

// Starts at a different slot for each worker.
bool ThreadPool::help(int worker, uint64_t jobs) {
  const int first = worker % kMaxJobs;
  bool any = false;
  for (uint64_t open = std::rotr(jobs, first); open != 0; open &= open - 1) {
    const int index = (std::countr_zero(open) + first) % kMaxJobs;
    any |= join(jobs_[static_cast<size_t>(index)], worker);
  }
  return any;
}

void ThreadPool::work(int worker) {
  running_.fetch_add(1);
  running_.notify_one();
  while (true) {
    const uint32_t epoch = epoch_.load();  // load before stopping_, which is stored before the last epoch
    if (stopping_.load()) return;
    if (run_lane(worker) || help(worker)) continue;
    if (spin_until(spin_, [&] { return epoch_.load(std::memory_order_relaxed) != epoch; })) continue;
    sleep_until_changed(epoch);
  }
}

// This function writes sleepers_ and then reads epoch_; wake() does the opposite. All accesses are sequentially
// consistent, so either the waker sees the sleeper, or the sleeper sees the new epoch.
void ThreadPool::sleep_until_changed(uint32_t epoch) {
  sleepers_.fetch_add(1);
  epoch_.wait(epoch);
  sleepers_.fetch_sub(1);
}

void ThreadPool::wake(int64_t workers) {
  epoch_.fetch_add(1);
  const int64_t sleepers = std::min<int64_t>(workers, sleepers_.load());
  for (int64_t i = 0; i < sleepers; ++i) epoch_.notify_one();
}

}  // namespace nestrt::scheduler
