// Turns: one at a time, and of those who wait the one with the smallest number first.
//
// Threads: all members from any thread.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <vector>

namespace nestrt {

class Turns {
 public:
  // Allocates nothing while no more than `most_waiting` wait.
  explicit Turns(size_t most_waiting) { waiting_.reserve(most_waiting); }

  void enter(uint64_t number);
  void leave();

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool taken_ = false;
  std::vector<uint64_t> waiting_;
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
