// SPDX-License-Identifier: Apache-2.0
// ParallelRunner: distributes a kernel's work over cores, independently of who owns the threads. The scheduler's thread
// pool implements it; InlineRunner runs everything on the calling thread, for tests and single-threaded use.
#pragma once

#include <cstdint>

#include "runtime/core/function_ref.h"

namespace nestrt {

class ParallelRunner {
 public:
  virtual ~ParallelRunner() = default;

  // Returns the number of threads that may work concurrently, including the caller. At least 1.
  virtual int num_threads() const = 0;

  // Calls task(i, slot) once for every i in [0, count), possibly concurrently, and returns when all calls have
  // returned. `slot` in [0, num_threads()) is unique among concurrent calls and indexes per-thread scratch. The caller
  // participates. Never allocates, never fails. May be called from several threads. A task must not call parallel_for.
  virtual void parallel_for(int64_t count, FunctionRef<void(int64_t index, int slot)> task) = 0;
};

class InlineRunner final : public ParallelRunner {
 public:
  int num_threads() const override { return 1; }
  void parallel_for(int64_t count, FunctionRef<void(int64_t, int)> task) override {
    for (int64_t index = 0; index < count; ++index) task(index, 0);
  }
};

}  // namespace nestrt
