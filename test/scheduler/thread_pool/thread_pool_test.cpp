#include "scheduler/thread_pool/thread_pool.h"

#include <algorithm>
#include <atomic>
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

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
        if (slot < 0 || slot >= threads) { ++failures; return; }
        if (inside[static_cast<size_t>(slot)].fetch_add(1) != 0) ++failures;
        std::this_thread::yield();
        inside[static_cast<size_t>(slot)].fetch_sub(1);
      });
    }
    CHECK(failures == 0);
  }
}

TEST_CASE("Thousands of tiny jobs complete, spinning or sleeping in between") {
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

TEST_CASE("Numbers of threads outside the limits are refused") {
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

// What the kernel says of this process's threads of that name: "R" running or waiting for a core, "S" asleep.
std::vector<std::string> states_of_workers() {
  std::vector<std::string> states;
  for (const auto& thread : std::filesystem::directory_iterator("/proc/self/task")) {
    std::ifstream comm(thread.path() / "comm");
    std::string name;
    if (!(comm >> name) || !name.starts_with("nestrt-")) continue;
    std::ifstream status(thread.path() / "status");
    for (std::string word; status >> word;)
      if (word == "State:" && status >> word) states.push_back(word);
  }
  return states;
}

TEST_CASE("Idle workers go to sleep, and wake for the next job") {
  constexpr int kLooks = 1000000;
  const auto pool = make_pool(4);
  for (int round = 0; round < 3; ++round) {
    int64_t values[8] = {};
    pool->parallel_for(8, [&](int64_t index, int) { values[index] = index; });
    CHECK(std::accumulate(std::begin(values), std::end(values), int64_t{0}) == 28);
    const auto all_asleep = [] {
      const std::vector<std::string> states = states_of_workers();
      return states.size() == 3 && std::count(states.begin(), states.end(), "S") == 3;
    };
    int looks = 0;
    for (; looks < kLooks && !all_asleep(); ++looks) std::this_thread::yield();
    CHECK(looks < kLooks);
  }
}

}  // namespace
}  // namespace nestrt::scheduler
