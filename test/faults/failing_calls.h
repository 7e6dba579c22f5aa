// FailingCalls: system calls of this thread that fail. open, read, pread, write, fsync, close, fstat, stat, mmap,
// rename and mkdir are interposed in this test's program, and answer as the system might.
#pragma once

#include <cstdint>

namespace nestrt::test {

enum class CallFault {
  kIo,           // EIO
  kNoMemory,     // ENOMEM
  kDiskFull,     // ENOSPC, of calls that write
  kInterrupted,  // EINTR, of calls that wait
  kShort,        // reads and writes one byte
};

// The call of that number, from 0, among those that the fault may happen to. One at a time.
class FailingCalls {
 public:
  FailingCalls(int64_t number, CallFault fault);
  ~FailingCalls();
  FailingCalls(const FailingCalls&) = delete;
  FailingCalls& operator=(const FailingCalls&) = delete;

  // The calls that the fault may happen to, since it was made.
  int64_t count() const;
};

}  // namespace nestrt::test
