// SPDX-License-Identifier: Apache-2.0
#include "scheduler/thread_pool/thread_pool.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <mutex>
#include <numeric>
#include <set>
#include <thread>
#include <vector>

#include "test/support/process/thread_states.h"

namespace nestrt::scheduler {
namespace {

std::unique_ptr<ThreadPool> make_pool(int num_threads, int spin_us = 50) {
  ThreadPoolOptions options;
  options.num_threads = num_threads;
  options.spin = std::chrono::microseconds(spin_us);
  auto pool = ThreadPool::create(options);
  REQUIRE(pool);
  return std::move(*pool);
}

TEST_CASE("Every index is visited once, for any number of threads") {
  for (int threads = 1; threads <= 8; ++threads) {
    const auto pool = make_pool(threads);
    CHECK(pool->num_threads() == threads);
    for (int64_t count : {0, 1, 2, 7, 1000}) {
      std::vector<int> visits(static_cast<size_t>(count), 0);
      pool->parallel_for(count, [&](int64_t index, int) { ++visits[static_cast<size_t>(index)]; });
      CHECK(std::count(visits.begin(), visits.end(), 1) == count);
    }
  }
}

TEST_CASE("A slot belongs to one call at a time") {
  for (int threads : {2, 4, 8}) {
    const auto pool = make_pool(threads);
    std::vector<std::atomic<int>> inside(static_cast<size_t>(threads));
    std::atomic<int> failures{0};
    for (int round = 0; round < 50; ++round) {
      pool->parallel_for(64, [&](int64_t, int slot) {
        if (slot < 0 || slot >= threads) {
          ++failures;
          return;
        }
        if (inside[static_cast<size_t>(slot)].fetch_add(1) != 0) ++failures;
        std::this_thread::yield();
        inside[static_cast<size_t>(slot)].fetch_sub(1);
      });
    }
    CHECK(failures == 0);
  }
}

TEST_CASE("Thousands of tiny jobs complete, whether workers spin or sleep between them") {
  for (int spin_us : {0, 50}) {
    const auto pool = make_pool(4, spin_us);
    int64_t total = 0;
    for (int round = 0; round < 3000; ++round) {
      int64_t values[5] = {};
      pool->parallel_for(5, [&](int64_t index, int) { values[index] = index + round; });
      total += std::accumulate(std::begin(values), std::end(values), int64_t{0});
    }
    CHECK(total == 5 * (int64_t{3000} * 2999 / 2) + 3000 * 10);
  }
}

TEST_CASE("Callers on several threads share a pool") {
  const auto pool = make_pool(3);
  std::atomic<int> failures{0};
  std::vector<std::thread> callers;
  for (int caller = 0; caller < 6; ++caller) {
    callers.emplace_back([&, caller] {
      for (int round = 0; round < 300; ++round) {
        std::vector<int64_t> values(17, 0);
        pool->parallel_for(17, [&](int64_t index, int) { values[static_cast<size_t>(index)] += index + caller; });
        for (int64_t index = 0; index < 17; ++index) failures += values[static_cast<size_t>(index)] != index + caller;
      }
    });
  }
  for (std::thread& caller : callers) caller.join();
  CHECK(failures == 0);
}

TEST_CASE("More callers than job slots still complete") {
  const auto pool = make_pool(2);
  std::atomic<int64_t> total{0};
  std::vector<std::thread> callers;
  for (int caller = 0; caller < 80; ++caller)
    callers.emplace_back([&] { pool->parallel_for(10, [&](int64_t index, int) { total += index; }); });
  for (std::thread& caller : callers) caller.join();
  CHECK(total == 80 * 45);
}

TEST_CASE("A pool of one thread runs in order on the caller's thread") {
  const auto pool = make_pool(1);
  std::vector<int64_t> order;
  const auto caller = std::this_thread::get_id();
  pool->parallel_for(5, [&](int64_t index, int slot) {
    CHECK(slot == 0);
    CHECK(std::this_thread::get_id() == caller);
    order.push_back(index);
  });
  CHECK(order == std::vector<int64_t>{0, 1, 2, 3, 4});
}

TEST_CASE("Numbers of threads outside the limits are rejected") {
  for (int threads : {-1, ThreadPool::kMaxThreads + 1}) {
    ThreadPoolOptions options;
    options.num_threads = threads;
    const auto pool = ThreadPool::create(options);
    REQUIRE_FALSE(pool);
    CHECK(pool.error().code() == Code::kInvalidArgument);
  }
  CHECK(available_cores() >= 1);
  CHECK(make_pool(0)->num_threads() == std::min(available_cores(), ThreadPool::kMaxThreads));
}

TEST_CASE("Shares of a pool run concurrently with separate threads") {
  constexpr int kThreads = 2;
  const auto pool = make_pool(4);
  CHECK(PoolShareRunner(*pool, {.threads = kThreads}).num_threads() == kThreads);
  std::array<std::set<std::thread::id>, 2> threads;
  std::array<std::mutex, 2> mutexes;
  std::array<std::atomic<int64_t>, 2> sums = {};
  std::vector<std::thread> callers;
  for (int share = 0; share < 2; ++share) {
    callers.emplace_back([&, share] {
      PoolShareRunner runner(*pool, {.threads = kThreads, .index = share});
      for (int round = 0; round < 50; ++round) {
        runner.parallel_for(20, [&](int64_t index, int slot) {
          if (slot < 0 || slot >= kThreads) std::abort();
          const std::lock_guard lock(mutexes[static_cast<size_t>(share)]);
          threads[static_cast<size_t>(share)].insert(std::this_thread::get_id());
          sums[static_cast<size_t>(share)] += index;
        });
      }
    });
  }
  for (std::thread& caller : callers) caller.join();
  CHECK(sums[0] == 50 * 190);
  CHECK(sums[1] == 50 * 190);
  for (const auto& used : threads) CHECK(used.size() <= kThreads);
  for (const std::thread::id id : threads[0]) CHECK(threads[1].count(id) == 0);
}

TEST_CASE("A share of one thread or beyond the pool's threads runs on the caller's thread") {
  const auto pool = make_pool(2);
  for (const CoreShare& share : {CoreShare{.threads = 1}, CoreShare{.threads = 1, .index = 7}}) {
    const auto caller = std::this_thread::get_id();
    int calls = 0;
    pool->parallel_for(
        9,
        [&](int64_t, int slot) {
          CHECK(slot == 0);
          CHECK(std::this_thread::get_id() == caller);
          ++calls;
        },
        share);
    CHECK(calls == 9);
  }
}

TEST_CASE("Every index of an urgent job and of concurrent jobs runs once") {
  const auto pool = make_pool(4);
  std::array<std::atomic<int64_t>, 3> sums = {};
  std::vector<std::thread> callers;
  for (size_t job = 0; job < sums.size(); ++job) {
    callers.emplace_back([&, job] {
      for (int round = 0; round < 100; ++round)
        pool->parallel_for(16, [&](int64_t index, int) { sums[job] += index; }, {.urgent = job == 0});
    });
  }
  for (std::thread& caller : callers) caller.join();
  for (const auto& sum : sums) CHECK(sum == 100 * 120);
}

// Threads that call urgent jobs, which run until end().
class UrgentJobs {
 public:
  // Requires: a pool of two threads.
  UrgentJobs(ThreadPool& pool, size_t jobs) : ends_(jobs) {
    for (std::atomic<bool>& end : ends_) {
      callers_.emplace_back([this, &pool, &end] {
        const auto work = [this, &end](int64_t, int) {
          ++begun_;
          end.wait(false);
        };
        pool.parallel_for(2, work, {.urgent = true});
      });
    }
    while (begun_ < static_cast<int>(jobs) + 1) std::this_thread::yield();  // the worker has also begun
  }
  void end(size_t job) {
    ends_[job] = true;
    ends_[job].notify_all();
    callers_[job].join();
  }

 private:
  std::vector<std::atomic<bool>> ends_;
  std::atomic<int> begun_{0};
  std::vector<std::thread> callers_;
};

TEST_CASE("At most a limited number of urgent jobs precedes each index of normal work") {
  const auto pool = make_pool(2);
  constexpr size_t kJobs = ThreadPool::kMaxPassed + 1;
  UrgentJobs urgent(*pool, kJobs);
  std::atomic<int> done{0};
  std::thread caller([&] { pool->parallel_for(3, [&](int64_t, int) { ++done; }); });
  CHECK(nestrt::test::others_fall_asleep());
  for (size_t job = 0; job + 2 < kJobs; ++job) urgent.end(job);
  CHECK(nestrt::test::others_fall_asleep());
  CHECK(done == 0);
  urgent.end(kJobs - 2);
  while (done == 0) std::this_thread::yield();
  CHECK(nestrt::test::others_fall_asleep());
  CHECK(done == 1);
  urgent.end(kJobs - 1);
  caller.join();
  CHECK(done == 3);
}

TEST_CASE("Idle workers go to sleep, and wake for the next job") {
  const auto pool = make_pool(4);
  for (int round = 0; round < 3; ++round) {
    int64_t values[8] = {};
    pool->parallel_for(8, [&](int64_t index, int) { values[index] = index; });
    CHECK(std::accumulate(std::begin(values), std::end(values), int64_t{0}) == 28);
    CHECK(nestrt::test::fall_asleep("nestrt-", 3));
  }
}

TEST_CASE("Lanes run at the same time on separate threads and may wait for each other") {
  for (int spin_us : {0, 50}) {
    for (int threads : {2, 3, 4, 8}) {
      const auto pool = make_pool(threads, spin_us);
      for (int lanes = 1; lanes <= threads; ++lanes) {
        std::atomic<int> arrived{0};
        std::mutex mutex;
        std::set<std::thread::id> ids;
        const auto meet = [&](int lane) {
          if (lane < 0 || lane >= lanes) return;
          {
            const std::lock_guard lock(mutex);
            ids.insert(std::this_thread::get_id());
          }
          for (arrived.fetch_add(1); arrived.load() < lanes;) std::this_thread::yield();
        };
        CHECK(pool->run_lanes(lanes, meet));
        CHECK(ids.size() == static_cast<size_t>(lanes));
        CHECK(ids.count(std::this_thread::get_id()) == 1);
      }
    }
  }
}

TEST_CASE("Lanes divide the pool's threads") {
  const auto pool = make_pool(4);
  for (int round = 0; round < 50; ++round) {
    std::array<std::atomic<int>, 200> visits{};
    CHECK(pool->run_lanes(2, [&](int lane) {
      CoreShare share;
      share.threads = 2;
      share.index = lane;
      pool->parallel_for(
          100, [&](int64_t index, int) { ++visits[static_cast<size_t>(lane) * 100 + static_cast<size_t>(index)]; },
          share);
    }));
    CHECK(std::all_of(visits.begin(), visits.end(), [](const auto& count) { return count.load() == 1; }));
  }
}

TEST_CASE("A pool gives lanes to one caller at a time and at most as many as it has threads") {
  const auto pool = make_pool(2);
  bool within = true;
  CHECK(pool->run_lanes(2, [&](int lane) {
    if (lane == 0) within = pool->run_lanes(2, [](int) {});
  }));
  CHECK_FALSE(within);
  CHECK(pool->run_lanes(2, [](int) {}));
  CHECK_FALSE(pool->run_lanes(3, [](int) { FAIL("a lane without a thread has run"); }));
}

TEST_CASE("Lanes start even if the workers run other jobs") {
  const auto pool = make_pool(3);
  std::atomic<bool> is_over{false};
  std::thread other([&] {
    while (!is_over.load()) pool->parallel_for(16, [](int64_t, int) { std::this_thread::yield(); });
  });
  std::atomic<int> calls{0};
  for (int round = 0; round < 200; ++round) CHECK(pool->run_lanes(3, [&](int) { ++calls; }));
  is_over.store(true);
  other.join();
  CHECK(calls == 600);
}

}  // namespace
}  // namespace nestrt::scheduler
