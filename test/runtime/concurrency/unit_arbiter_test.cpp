// SPDX-License-Identifier: Apache-2.0
#include "runtime/concurrency/unit_arbiter.h"

#include <atomic>
#include <catch2/catch.hpp>
#include <thread>
#include <vector>

#include "test/support/process/thread_states.h"

namespace nestrt {
namespace {

// Threads that acquire one unit each, and the order in which they acquire it.
class Queue {
 public:
  explicit Queue(UnitArbiter& arbiter) : arbiter_(arbiter) {}
  ~Queue() {
    for (std::thread& thread : threads_) thread.join();
  }

  // Returns once the new thread waits.
  void add(const ArbitrationRequest& request) {
    threads_.emplace_back([this, request] {
      arbiter_.acquire(request);
      served.push_back(request);
      arbiter_.release();
    });
    REQUIRE(test::others_fall_asleep());
  }

  std::vector<ArbitrationRequest> served;  // read only while holding the unit

 private:
  UnitArbiter& arbiter_;
  std::vector<std::thread> threads_;
};

TEST_CASE("The waiter with the shortest use is served first, the oldest on a tie") {
  UnitArbiter arbiter;
  std::vector<ArbitrationRequest> served;
  arbiter.acquire({1, 0});
  {
    Queue queue(arbiter);
    for (const ArbitrationRequest& request : std::vector<ArbitrationRequest>{{5, 2}, {7, 1}, {5, 1}, {2, 9}})
      queue.add(request);
    arbiter.release();
    arbiter.acquire({100, 0});  // after all of them
    served = queue.served;
    arbiter.release();
  }
  CHECK(served == std::vector<ArbitrationRequest>{{2, 9}, {5, 1}, {5, 2}, {7, 1}});
}

TEST_CASE("The holder of a unit keeps it unless a shorter request waits") {
  UnitArbiter arbiter;
  arbiter.acquire({10, 1});
  Queue queue(arbiter);
  arbiter.yield_to_shorter({10, 1});  // nothing waits
  queue.add({20, 0});
  queue.add({10, 2});
  arbiter.yield_to_shorter({10, 1});
  CHECK(queue.served.empty());
  queue.add({3, 5});
  arbiter.yield_to_shorter({10, 1});
  CHECK(queue.served == std::vector<ArbitrationRequest>{{3, 5}});
  arbiter.release();
}

TEST_CASE("A lease holds one unit at a time, until it is destroyed") {
  UnitArbiters arbiters(2);
  Queue at_host(arbiters.host()), at_unit(arbiters.of_unit(1));
  {
    UnitLease lease(&arbiters, 0);
    lease.acquire_host(1);
    lease.acquire_unit(1, 1);
    at_host.add({5, 5});  // the host is free again
    at_unit.add({5, 5});  // the unit is not
    arbiters.host().acquire({9, 9});
    CHECK(at_host.served.size() == 1);
    arbiters.host().release();
    lease.acquire_unit(1, 1);
    CHECK(at_unit.served.empty());
  }
  arbiters.of_unit(1).acquire({9, 9});
  CHECK(at_unit.served.size() == 1);
  arbiters.of_unit(1).release();
}

TEST_CASE("Leases without arbiters never wait") {
  std::atomic<int> acquired{0};
  std::thread thread;
  {
    UnitLease one(nullptr, 0);
    one.acquire_host(1);
    one.acquire_unit(0, 1);
    thread = std::thread([&acquired] {
      UnitLease other(nullptr, 1);
      other.acquire_host(1);
      ++acquired;
      other.acquire_unit(0, 1);
      ++acquired;
    });
    CHECK(test::others_fall_asleep());  // or have ended
    CHECK(acquired == 2);
  }
  thread.join();
}

}  // namespace
}  // namespace nestrt
