// SPDX-License-Identifier: Apache-2.0
// FailingCalls: fault injection into the system calls of this thread. The test program interposes open, read, pread,
// write, fsync, close, fstat, stat, mmap, rename and mkdir.
#pragma once

#include <cstdint>

namespace nestrt::test {

enum class CallFault {
  kIo,           // EIO
  kNoMemory,     // ENOMEM
  kDiskFull,     // ENOSPC, only in calls that write
  kInterrupted,  // EINTR, only in calls that wait
  kShort,        // transfers one byte
};

// Fails call `number` (counted from 0) among the calls that can have the fault. At most one object at a time.
class FailingCalls {
 public:
  FailingCalls(int64_t number, CallFault fault);
  ~FailingCalls();
  FailingCalls(const FailingCalls&) = delete;
  FailingCalls& operator=(const FailingCalls&) = delete;

  // Returns the number of such calls since construction.
  int64_t count() const;
};

}  // namespace nestrt::test
