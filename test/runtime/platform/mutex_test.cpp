// SPDX-License-Identifier: Apache-2.0
#include "nestrt/driver/mutex.h"

#include <catch2/catch.hpp>
#include <thread>
#include <vector>

namespace nestrt {
namespace {

struct Counter {
  Mutex mutex;
  Condition changed;
  int count NESTRT_GUARDED_BY(mutex) = 0;

  void add() {
    const MutexLock lock(mutex);
    ++count;
    changed.notify_all();
  }
};

TEST_CASE("One thread at a time holds a Mutex") {
  Counter counter;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&] {
      for (int j = 0; j < 1000; ++j) counter.add();
    });
  for (std::thread& thread : threads) thread.join();
  const MutexLock lock(counter.mutex);
  CHECK(counter.count == 4000);
}

TEST_CASE("A MutexPause lets another thread acquire the Mutex") {
  Counter counter;
  const MutexLock lock(counter.mutex);
  {
    const MutexPause pause(counter.mutex);
    std::thread([&] { counter.add(); }).join();
  }
  CHECK(counter.count == 1);
}

TEST_CASE("A thread holds the Mutex again after waiting for a Condition") {
  Counter counter;
  std::thread thread;
  {
    const MutexLock lock(counter.mutex);
    thread = std::thread([&] { counter.add(); });
    while (counter.count == 0) counter.changed.wait(counter.mutex);
    CHECK(counter.count == 1);
  }
  thread.join();
}

TEST_CASE("Waiting for a Condition without notification ends at the deadline") {
  Counter counter;
  const MutexLock lock(counter.mutex);
  const auto past = std::chrono::steady_clock::now() - std::chrono::seconds(1);
  CHECK(counter.changed.wait_until(counter.mutex, past) == std::cv_status::timeout);
}

}  // namespace
}  // namespace nestrt
