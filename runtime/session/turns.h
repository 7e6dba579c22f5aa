// Turns: so many at a time, and of those who wait the one with the smallest number first.
//
// Threads: all members from any thread. Nothing is allocated.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>

namespace nestrt {

class Turns {
 public:
  explicit Turns(size_t at_a_time) : free_(at_a_time) {}

  void enter(uint64_t number);
  void leave();

 private:
  // On the stack of the thread that waits. Each is woken by itself: a crowd would take longer to find out who is next.
  struct Waiter {
    uint64_t number = 0;
    bool is_called = false;
    std::condition_variable called;
    Waiter* next = nullptr;
  };

  std::mutex mutex_;
  size_t free_;
  Waiter* first_ = nullptr;  // by number; only where none is free
};

// The turns at the units of sessions that have the inferences of one pipeline: the older an inference, the sooner it
// goes on, so that not all of them wait for the same unit. One at a time has the CPU. At other units a second one is
// handed in already, so that the unit need not wait for the next.
class UnitTurns {
 public:
  explicit UnitTurns(size_t units) {
    for (size_t unit = 0; unit < units; ++unit) units_.emplace_back(2);
  }

  Turns& cpu() { return cpu_; }
  Turns& of_unit(uint32_t unit) { return units_[unit]; }

 private:
  Turns cpu_{1};
  std::deque<Turns> units_;  // beside the CPU, by their place in the list of units
};

// A turn, for as long as it lives; nothing where there are no turns to take.
class Turn {
 public:
  Turn(Turns* turns, uint64_t number) : turns_(turns) {
    if (turns_ != nullptr) turns_->enter(number);
  }
  ~Turn() {
    if (turns_ != nullptr) turns_->leave();
  }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;

 private:
  Turns* const turns_;
};

}  // namespace nestrt
