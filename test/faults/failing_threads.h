// SPDX-License-Identifier: Apache-2.0
// FailingThreads: simulates a system that cannot create more threads. The test program interposes pthread_create.
#pragma once

#include <cstdint>

namespace nestrt::test {

// Fails to create thread `number` (counted from 0) and all later ones. At most one object at a time.
class FailingThreads {
 public:
  explicit FailingThreads(int64_t number);
  ~FailingThreads();
  FailingThreads(const FailingThreads&) = delete;
  FailingThreads& operator=(const FailingThreads&) = delete;

  // Returns the number of requested threads since construction.
  int64_t count() const;
};

}  // namespace nestrt::test
