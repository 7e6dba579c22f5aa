#include "runtime/concurrency/unit_arbiter.h"

#include <atomic>
#include <catch2/catch.hpp>
#include <thread>
#include <vector>

#include "test/support/process/thread_states.h"

namespace nestrt {
namespace {

// Threads that want a turn each; who has had it, in that order.
class Queue {
 public:
  explicit Queue(Turns& turns) : turns_(turns) {}
  ~Queue() {
    for (std::thread& thread : threads_) thread.join();
  }

  // Returns when it waits.
  void add(const Claim& claim) {
    threads_.emplace_back([this, claim] {
      turns_.enter(claim);
      served.push_back(claim);
      turns_.leave();
    });
    REQUIRE(test::others_fall_asleep());
  }

  std::vector<Claim> served;  // to be read by who has the turn

 private:
  Turns& turns_;
  std::vector<std::thread> threads_;
};

TEST_CASE("Of those who wait for a turn, the shortest visit goes first, and of equal ones the oldest") {
  Turns turns;
  std::vector<Claim> served;
  turns.enter({1, 0});
  {
    Queue queue(turns);
    for (const Claim& claim : {Claim{5, 2}, Claim{7, 1}, Claim{5, 1}, Claim{2, 9}}) queue.add(claim);
    turns.leave();
    turns.enter({100, 0});  // after all of them
    served = queue.served;
    turns.leave();
  }
  CHECK(served == std::vector<Claim>{{2, 9}, {5, 1}, {5, 2}, {7, 1}});
}

TEST_CASE("Who has a turn keeps it unless a smaller claim waits") {
  Turns turns;
  turns.enter({10, 1});
  Queue queue(turns);
  turns.yield_to_shorter({10, 1});  // nobody waits
  queue.add({20, 0});
  queue.add({10, 2});
  turns.yield_to_shorter({10, 1});
  CHECK(queue.served.empty());
  queue.add({3, 5});
  turns.yield_to_shorter({10, 1});
  CHECK(queue.served == std::vector<Claim>{{3, 5}});
  turns.leave();
}

TEST_CASE("A lane has the turn of one unit at a time, until its end") {
  UnitArbiters units(2);
  Queue at_host(units.host()), at_unit(units.of_unit(1));
  {
    Turn turn(&units, 0);
    turn.take_host(1);
    turn.take_unit(1, 1);
    at_host.add({5, 5});  // is free again
    at_unit.add({5, 5});  // is not
    units.host().enter({9, 9});
    CHECK(at_host.served.size() == 1);
    units.host().leave();
    turn.take_unit(1, 1);
    CHECK(at_unit.served.empty());
  }
  units.of_unit(1).enter({9, 9});
  CHECK(at_unit.served.size() == 1);
  units.of_unit(1).leave();
}

TEST_CASE("Where units are everybody's, nobody waits for a turn") {
  std::atomic<int> taken{0};
  std::thread thread;
  {
    Turn one(nullptr, 0);
    one.take_host(1);
    one.take_unit(0, 1);
    thread = std::thread([&taken] {
      Turn other(nullptr, 1);
      other.take_host(1);
      ++taken;
      other.take_unit(0, 1);
      ++taken;
    });
    CHECK(test::others_fall_asleep());  // or are gone
    CHECK(taken == 2);
  }
  thread.join();
}

}  // namespace
}  // namespace nestrt
