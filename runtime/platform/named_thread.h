// Threads of the library: they have names, for whoever looks at the process, and get no signals: those are for the
// application's threads. They wake when they want to: the kernel may let others sleep 50 us longer.
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

// Blocks the signals of the calling thread, and of threads that it starts; restores the mask when it goes.
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

// A thread that is waited for when it goes, but not in a child made by fork(), which does not have it. Move-only.
class NamedThread {
 public:
  NamedThread() = default;
  explicit NamedThread(std::thread thread) : thread_(std::move(thread)) {}
  NamedThread(NamedThread&& other) noexcept = default;
  NamedThread& operator=(NamedThread&& other) noexcept;
  ~NamedThread() { join(); }

  bool joinable() const { return thread_.joinable(); }
  // Nothing where it is not joinable.
  void join();

 private:
  ForkOrigin origin_;
  std::thread thread_;
};

// The system keeps 15 characters of the name. Errors: kUnavailable (no more threads to be had), with the system's
// words.
template <typename Work>
Result<NamedThread> start_named_thread(const std::string& name, Work&& work) {
  const BlockedSignals blocked;
  try {
    std::thread thread([work = std::forward<Work>(work)]() mutable {
      prctl(PR_SET_TIMERSLACK, 1UL);  // nanosecond
      work();
    });
    pthread_setname_np(thread.native_handle(), name.c_str());
    return NamedThread(std::move(thread));
  } catch (const std::system_error& error) {
    return Status(Code::kUnavailable, error.what());
  }
}

}  // namespace nestrt
