// SPDX-License-Identifier: Apache-2.0
// Supports tests of work distribution.
#pragma once

#include "runtime/kernel/parallel.h"

namespace nestrt::test {

// A runner that reports several threads but runs the tasks one after the other.
class CountingRunner final : public ParallelRunner {
 public:
  explicit CountingRunner(int threads) : threads_(threads) {}
  int num_threads() const override { return threads_; }
  void parallel_for(int64_t count, FunctionRef<void(int64_t, int)> task) override {
    tasks = count;
    for (int64_t index = 0; index < count; ++index) task(index, 0);
  }

  int64_t tasks = 0;

 private:
  int threads_;
};

}  // namespace nestrt::test
