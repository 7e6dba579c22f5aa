// FailingMemory: memory that runs out. operator new and aligned_alloc are replaced in this test's program; what asks
// malloc itself, as the C library does, is not touched.
#pragma once

#include <cstdint>
#include <functional>

#include "nestrt/status.h"

namespace nestrt::test {

enum class Shortage {
  kOnce,     // one allocation fails
  kLasting,  // that one and all after it
};

// The allocation of that number, from 0, fails, on whatever thread. One at a time.
class FailingMemory {
 public:
  FailingMemory(int64_t number, Shortage shortage);
  ~FailingMemory();
  FailingMemory(const FailingMemory&) = delete;
  FailingMemory& operator=(const FailingMemory&) = delete;

  // What was asked for since it was made.
  int64_t count() const;
};

// Blocks of operator new that have not been given back.
int64_t living_blocks();

// Runs `work`, which leaves nothing behind, so that each of its allocations in turn fails, or so many of them, spread
// evenly. Fails the test where its answer is neither success nor kOutOfMemory, where it throws or does not work
// afterwards, and where a descriptor or more than `kept` blocks are kept each time, by libraries that lose them.
void fail_every_allocation(int most, const std::function<Status()>& work, int64_t kept = 0);

}  // namespace nestrt::test
