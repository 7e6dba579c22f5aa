// SPDX-License-Identifier: Apache-2.0
#include "nestrt/driver/event.h"

#include <catch2/catch.hpp>
#include <thread>
#include <vector>

namespace nestrt {
namespace {

TEST_CASE("An Event is done before its first generation") {
  Event event;
  CHECK(event.done());
  CHECK(event.wait().ok());
}

TEST_CASE("An Event carries the Status of its completion") {
  Event event;
  const uint64_t generation = event.arm();
  CHECK_FALSE(event.done());
  CHECK(event.signal(generation, Status(Code::kDeviceFault, "bus error")));
  CHECK(event.wait().message() == "bus error");
  CHECK(event.wait().code() == Code::kDeviceFault);
}

TEST_CASE("Late and repeated completions have no effect") {
  Event event;
  const uint64_t first = event.arm();
  const uint64_t second = event.arm();
  CHECK_FALSE(event.signal(first, Status(Code::kDeviceFault, "late")));
  CHECK_FALSE(event.done());
  CHECK(event.signal(second));
  CHECK_FALSE(event.signal(second, Status(Code::kDeviceFault, "again")));
  CHECK(event.wait().ok());
}

TEST_CASE("Waiting ends at the deadline, and the Event can still complete") {
  Event event;
  const uint64_t generation = event.arm();
  CHECK(event.wait(SteadyClock::now() - std::chrono::seconds(1)).code() == Code::kDeadlineExceeded);
  CHECK(event.signal(generation));
  CHECK(event.wait(SteadyClock::now() - std::chrono::seconds(1)).ok());
}

TEST_CASE("Threads that wait are released by a completion from another thread") {
  for (int round = 0; round < 200; ++round) {
    Event event;
    const uint64_t generation = event.arm();
    std::vector<std::thread> waiters;
    std::atomic<int> released{0};
    for (int i = 0; i < 3; ++i) waiters.emplace_back([&] { released += event.wait().code() == Code::kCancelled; });
    event.signal(generation, Status(Code::kCancelled, "stop"));
    for (std::thread& waiter : waiters) waiter.join();
    CHECK(released == 3);
  }
}

}  // namespace
}  // namespace nestrt
