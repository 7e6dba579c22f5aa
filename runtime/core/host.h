// SPDX-License-Identifier: Apache-2.0
// Host: the additional interface of the unit that runs on the machine's own cores, using the submitter's threads.
#pragma once

#include "runtime/core/function_ref.h"

namespace nestrt {

class ParallelRunner;  // runtime/kernel/parallel.h

// The host threads that work on a submission. Concurrent submissions, each with `threads` threads, have the indices
// 0, 1, ...
struct CoreShare {
  int threads = 0;  // including the submitting thread; 0: all
  int index = 0;
  bool urgent = false;  // the host's threads interrupt other work for it
};

class Host {
 public:
  virtual ~Host() = default;
  // Runs lane(0) on the caller's thread and concurrently lane(1), lane(2), ... on one host thread each. The threads
  // stay reserved until all lanes have returned, so lanes may wait for each other. Submissions of lane(i) have the
  // index i. Returns true when all lanes have returned, or false, without running any, if not enough host threads are
  // free.
  virtual bool run_lanes(int lanes, FunctionRef<void(int)> lane) = 0;
  // Returns the host's threads, for work outside of programs.
  virtual ParallelRunner& threads() = 0;
};

}  // namespace nestrt
