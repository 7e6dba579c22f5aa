// FailingThreads: a system that has no more threads. pthread_create is interposed in this test's program.
#pragma once

#include <cstdint>

namespace nestrt::test {

// The thread of that number, from 0, is not to be had, nor any after it. One at a time.
class FailingThreads {
 public:
  explicit FailingThreads(int64_t number);
  ~FailingThreads();
  FailingThreads(const FailingThreads&) = delete;
  FailingThreads& operator=(const FailingThreads&) = delete;

  // The threads that were asked for since it was made.
  int64_t count() const;
};

}  // namespace nestrt::test
