// ParallelRunner: how a kernel spreads its work over cores without knowing who owns the threads.
// The scheduler's thread pool implements it; InlineRunner is the deterministic floor.
#pragma once

#include <cstdint>

#include "nestrt/driver/function_ref.h"
#include "nestrt/driver/visibility.h"

namespace NESTRT_PUBLIC nestrt {

class ParallelRunner {
 public:
  virtual ~ParallelRunner() = default;

  // Threads that may work at the same time, the caller included. At least 1.
  virtual int num_threads() const = 0;

  // Calls task(i, slot) once for every i in [0, count), possibly concurrently, and returns when all calls have
  // returned. `slot` in [0, num_threads()) is unique among the calls that run at the same time: it indexes per-thread
  // scratch. The caller takes part. Never allocates, never fails.
  // May be called from several threads at once. A task must not call parallel_for again.
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
