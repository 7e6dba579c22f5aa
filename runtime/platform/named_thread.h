// SPDX-License-Identifier: Apache-2.0
// The library's threads. They have names for debuggers and process viewers, and block all signals, because signals
// belong to the application's threads. Their timer slack is minimal, because by default the kernel may wake a thread 50
// us late.
#pragma once

#include <pthread.h>
#include <signal.h>
#include <sys/prctl.h>

#include <string>
#include <system_error>
#include <thread>
#include <utility>

#include "nestrt/result.h"
#include "runtime/platform/fork_origin.h"

namespace nestrt {

// Blocks all signals for the calling thread and threads that it starts, and restores the mask on destruction.
class BlockedSignals {
 public:
  BlockedSignals() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~BlockedSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  BlockedSignals(const BlockedSignals&) = delete;
  BlockedSignals& operator=(const BlockedSignals&) = delete;

 private:
  sigset_t before_;
};

// A thread that is joined on destruction, except in a child of fork(), where it does not exist. Move-only.
class NamedThread {
 public:
  NamedThread() = default;
  explicit NamedThread(std::thread thread) : thread_(std::move(thread)) {}
  NamedThread(NamedThread&& other) noexcept = default;
  NamedThread& operator=(NamedThread&& other) noexcept;
  ~NamedThread() { join(); }

  bool joinable() const { return thread_.joinable(); }
  // Does nothing if the thread is not joinable.
  void join();

 private:
  ForkOrigin origin_;
  std::thread thread_;
};

// Starts a thread. The system keeps 15 characters of the name. Errors: kUnavailable with the system's message, if no
// thread can be started.
template <typename Work>
Result<NamedThread> start_named_thread(const std::string& name, Work&& work) {
  const BlockedSignals blocked;
  try {
    std::thread thread([work = std::forward<Work>(work)]() mutable {
      prctl(PR_SET_TIMERSLACK, 1UL);  // in nanoseconds
      work();
    });
    pthread_setname_np(thread.native_handle(), name.c_str());
    return NamedThread(std::move(thread));
  } catch (const std::system_error& error) {
    return Status(Code::kUnavailable, error.what());
  }
}

}  // namespace nestrt
