// SPDX-License-Identifier: Apache-2.0
// Input for clang's thread-safety analysis of the locks of nestrt/driver/mutex.h. Without MISUSE it compiles. Each
// MISUSE adds one line that must be rejected.
#include "nestrt/driver/mutex.h"

namespace nestrt {

class Counter {
 public:
  void count() {
    const MutexLock lock(mutex_);
    add();
    changed_.notify_all();
    const MutexPause pause(mutex_);
    report();
#if MISUSE == 3
    ++count_;
#endif
  }
  int wait() {
    const MutexLock lock(mutex_);
    while (count_ == 0) changed_.wait(mutex_);
#if MISUSE == 4
    report();
#endif
    return count_;
  }
#if MISUSE == 1
  int read_without_lock() { return count_; }
#elif MISUSE == 2
  void call_without_lock() { add(); }
#elif MISUSE == 5
  void wait_without_lock() { changed_.wait(mutex_); }
#endif

 private:
  void add() NESTRT_REQUIRES(mutex_) { ++count_; }
  void report() NESTRT_EXCLUDES(mutex_) { wait(); }

  Mutex mutex_;
  Condition changed_;
  int count_ NESTRT_GUARDED_BY(mutex_) = 0;
};

static_assert(sizeof(Mutex) == sizeof(std::mutex));

}  // namespace nestrt
