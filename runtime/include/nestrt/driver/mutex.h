// SPDX-License-Identifier: Apache-2.0
// Mutex: a std::mutex with annotations for clang's thread-safety analysis (-Wthread-safety), which rejects access to a
// member marked NESTRT_GUARDED_BY(mutex) without holding the mutex. For other compilers the annotations are empty.
//
// The types are as fast as those of the standard library. The analysis treats every lambda as a separate function, so
// wait in a loop instead of with a predicate.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>

#include "nestrt/visibility.h"

#if defined(__clang__)
#define NESTRT_THREAD_ATTRIBUTE(attribute) __attribute__((attribute))
#else
#define NESTRT_THREAD_ATTRIBUTE(attribute)
#endif

// Marks a member that only holders of the mutex may access.
#define NESTRT_GUARDED_BY(mutex) NESTRT_THREAD_ATTRIBUTE(guarded_by(mutex))
// Mark a function whose caller must hold the mutexes, or must not hold them because the function locks them.
#define NESTRT_REQUIRES(...) NESTRT_THREAD_ATTRIBUTE(requires_capability(__VA_ARGS__))
#define NESTRT_EXCLUDES(...) NESTRT_THREAD_ATTRIBUTE(locks_excluded(__VA_ARGS__))
// Mark the member functions of lock classes.
#define NESTRT_ACQUIRE(...) NESTRT_THREAD_ATTRIBUTE(acquire_capability(__VA_ARGS__))
#define NESTRT_RELEASE(...) NESTRT_THREAD_ATTRIBUTE(release_capability(__VA_ARGS__))

namespace NESTRT_PUBLIC nestrt {

class NESTRT_THREAD_ATTRIBUTE(capability("mutex")) Mutex {
 public:
  Mutex() = default;
  Mutex(const Mutex&) = delete;
  Mutex& operator=(const Mutex&) = delete;

  // Acquire and release the mutex.
  void lock() NESTRT_ACQUIRE() { native_.lock(); }
  void unlock() NESTRT_RELEASE() { native_.unlock(); }

 private:
  friend class Condition;
  std::mutex native_;
};

// Holds a mutex during its lifetime.
class NESTRT_THREAD_ATTRIBUTE(scoped_lockable) MutexLock {
 public:
  explicit MutexLock(Mutex& mutex) NESTRT_ACQUIRE(mutex) : mutex_(mutex) { mutex_.lock(); }
  ~MutexLock() NESTRT_RELEASE() { mutex_.unlock(); }
  MutexLock(const MutexLock&) = delete;
  MutexLock& operator=(const MutexLock&) = delete;

 private:
  Mutex& mutex_;
};

// A scope that releases a mutex held by the caller. The destructor locks it again.
class NESTRT_THREAD_ATTRIBUTE(scoped_lockable) MutexPause {
 public:
  explicit MutexPause(Mutex& mutex) NESTRT_RELEASE(mutex) : mutex_(mutex) { mutex_.unlock(); }
  ~MutexPause() NESTRT_RELEASE() { mutex_.lock(); }  // ends the unlocked period and acquires the mutex
  MutexPause(const MutexPause&) = delete;
  MutexPause& operator=(const MutexPause&) = delete;

 private:
  Mutex& mutex_;
};

// A std::condition_variable for a Mutex. Waits may end spuriously. In a child of fork() the destructor does nothing,
// because destroying a condition variable would wait for threads that do not exist there.
class Condition {
 public:
  Condition();
  ~Condition();
  Condition(const Condition&) = delete;
  Condition& operator=(const Condition&) = delete;

  // Wake one waiting thread, or all of them.
  void notify_one() noexcept { native_.notify_one(); }
  void notify_all() noexcept { native_.notify_all(); }

  // Waits until another thread notifies; may return spuriously.
  void wait(Mutex& mutex) NESTRT_REQUIRES(mutex) {
    std::unique_lock held(mutex.native_, std::adopt_lock);
    native_.wait(held);
    held.release();
  }
  template <typename Time>
  // Waits until another thread notifies or `time` is reached; may return spuriously.
  std::cv_status wait_until(Mutex& mutex, const Time& time) NESTRT_REQUIRES(mutex) {
    std::unique_lock held(mutex.native_, std::adopt_lock);
    const std::cv_status status = native_.wait_until(held, time);
    held.release();
    return status;
  }

 private:
  const uint32_t forks_;  // number of forks before construction
  union {
    std::condition_variable native_;
  };
};

}  // namespace nestrt
