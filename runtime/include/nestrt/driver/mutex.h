// Mutex: a std::mutex that clang knows. Its thread-safety analysis (-Wthread-safety) follows who holds it and refuses
// to compile what touches a member marked NESTRT_GUARDED_BY(mutex) without it. For other compilers the marks are empty.
//
// They are as fast as what the standard library has. The analysis looks at one function at a time, and at a lambda as
// at a function of its own: wait in a loop, not with a predicate.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>

#include "nestrt/driver/visibility.h"

#if defined(__clang__)
#define NESTRT_THREAD_ATTRIBUTE(attribute) __attribute__((attribute))
#else
#define NESTRT_THREAD_ATTRIBUTE(attribute)
#endif

// Of a member: touched by holders of the mutex only.
#define NESTRT_GUARDED_BY(mutex) NESTRT_THREAD_ATTRIBUTE(guarded_by(mutex))
// Of a function: its caller holds the mutexes; its caller does not, as it locks them itself.
#define NESTRT_REQUIRES(...) NESTRT_THREAD_ATTRIBUTE(requires_capability(__VA_ARGS__))
#define NESTRT_EXCLUDES(...) NESTRT_THREAD_ATTRIBUTE(locks_excluded(__VA_ARGS__))
// Of the members of locks.
#define NESTRT_ACQUIRE(...) NESTRT_THREAD_ATTRIBUTE(acquire_capability(__VA_ARGS__))
#define NESTRT_RELEASE(...) NESTRT_THREAD_ATTRIBUTE(release_capability(__VA_ARGS__))

namespace NESTRT_PUBLIC nestrt {

class NESTRT_THREAD_ATTRIBUTE(capability("mutex")) Mutex {
 public:
  Mutex() = default;
  Mutex(const Mutex&) = delete;
  Mutex& operator=(const Mutex&) = delete;

  void lock() NESTRT_ACQUIRE() { native_.lock(); }
  void unlock() NESTRT_RELEASE() { native_.unlock(); }

 private:
  friend class Condition;
  std::mutex native_;
};

// Holds a mutex as long as it lives.
class NESTRT_THREAD_ATTRIBUTE(scoped_lockable) MutexLock {
 public:
  explicit MutexLock(Mutex& mutex) NESTRT_ACQUIRE(mutex) : mutex_(mutex) { mutex_.lock(); }
  ~MutexLock() NESTRT_RELEASE() { mutex_.unlock(); }
  MutexLock(const MutexLock&) = delete;
  MutexLock& operator=(const MutexLock&) = delete;

 private:
  Mutex& mutex_;
};

// Lets others have a mutex that its maker holds, as long as it lives.
class NESTRT_THREAD_ATTRIBUTE(scoped_lockable) MutexPause {
 public:
  explicit MutexPause(Mutex& mutex) NESTRT_RELEASE(mutex) : mutex_(mutex) { mutex_.unlock(); }
  ~MutexPause() NESTRT_RELEASE() { mutex_.lock(); }  // of the pause, which acquires the mutex
  MutexPause(const MutexPause&) = delete;
  MutexPause& operator=(const MutexPause&) = delete;

 private:
  Mutex& mutex_;
};

// A std::condition_variable of those who hold a Mutex. Waits end without reason, too. In a child made by fork() it is
// not destroyed: that would wait for threads which the child does not have.
class Condition {
 public:
  Condition();
  ~Condition();
  Condition(const Condition&) = delete;
  Condition& operator=(const Condition&) = delete;

  void notify_one() noexcept { native_.notify_one(); }
  void notify_all() noexcept { native_.notify_all(); }

  void wait(Mutex& mutex) NESTRT_REQUIRES(mutex) {
    std::unique_lock held(mutex.native_, std::adopt_lock);
    native_.wait(held);
    held.release();
  }
  template <typename Time>
  std::cv_status wait_until(Mutex& mutex, const Time& time) NESTRT_REQUIRES(mutex) {
    std::unique_lock held(mutex.native_, std::adopt_lock);
    const std::cv_status status = native_.wait_until(held, time);
    held.release();
    return status;
  }

 private:
  const uint32_t forks_;  // until it was made
  union {
    std::condition_variable native_;
  };
};

}  // namespace nestrt
