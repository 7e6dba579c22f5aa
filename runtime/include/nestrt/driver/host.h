// Host: what only the unit has that runs on the machine's own cores, with the threads of whoever submits.
#pragma once

#include "nestrt/driver/function_ref.h"
#include "nestrt/driver/visibility.h"

namespace NESTRT_PUBLIC nestrt {

// The threads of a host that work for a submission. Submissions side by side, each of `threads` threads, take the
// indices 0, 1, ...
struct CoreShare {
  int threads = 0;  // the submitter's included; 0: all
  int index = 0;
  bool urgent = false;  // the host's threads leave other work for it
};

class Host {
 public:
  virtual ~Host() = default;
  // Runs lane(0) on the caller's thread and, at the same time, lane(1), lane(2), ... each on one of the host's threads,
  // which is its own until all have returned: so they may wait for each other. What lane(i) submits has the index i.
  // Returns when all have. False, and nothing has run, where the host has too few threads or has given them to another.
  virtual bool run_lanes(int lanes, FunctionRef<void(int)> lane) = 0;
};

}  // namespace nestrt
