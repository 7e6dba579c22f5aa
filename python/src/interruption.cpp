// SPDX-License-Identifier: Apache-2.0
#include "python/src/interruption.h"

#include <semaphore.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <mutex>
#include <thread>

namespace nestrt::python {
namespace {

// State of the signal handler and of the thread it wakes to cancel the run. The handler may only call
// async-signal-safe functions.
struct Watch {
  sem_t interrupts;
  std::mutex mutex;
  Session* session = nullptr;            // run by the main thread
  std::atomic<uint64_t> run{0};          // number of the current run
  std::atomic<uint64_t> interrupted{0};  // number of the run to cancel
  struct sigaction before = {};
  pid_t process = 0;  // the process that owns the thread; a child made by fork() starts another thread
};

Watch& watch() {
  static auto* const kInstance = [] {
    auto* const created = new Watch;  // never freed: the thread uses it until the process ends
    sem_init(&created->interrupts, 0, 0);
    return created;
  }();
  return *kInstance;
}

// Cancels repeatedly because the run may not have started yet.
void cancel_until_done(Watch& watch) {
  while (true) {
    {
      const std::lock_guard lock(watch.mutex);
      if (watch.session == nullptr || watch.run.load() != watch.interrupted.load()) return;
      watch.session->cancel();
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
}

void watch_interrupts() {
  while (true)
    if (sem_wait(&watch().interrupts) == 0) cancel_until_done(watch());
}

extern "C" void on_interrupt(int signal) {
  watch().before.sa_handler(signal);
  watch().interrupted.store(watch().run.load());
  sem_post(&watch().interrupts);
}

void start_watching(Watch& watch) {
  if (watch.process == getpid()) return;
  watch.process = getpid();
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);  // the new thread blocks all signals
  std::thread(watch_interrupts).detach();
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

bool is_main_thread() { return getpid() == static_cast<pid_t>(syscall(SYS_gettid)); }

}  // namespace

CancelOnInterrupt::CancelOnInterrupt(Session& session) {
  if (!is_main_thread()) return;
  Watch& watched = watch();
  struct sigaction now = {};
  sigaction(SIGINT, nullptr, &now);
  const bool has_siginfo = (now.sa_flags & SA_SIGINFO) != 0;
  if (has_siginfo || now.sa_handler == SIG_DFL || now.sa_handler == SIG_IGN || now.sa_handler == &on_interrupt) return;
  start_watching(watched);
  {
    const std::lock_guard lock(watched.mutex);
    watched.session = &session;
    watched.run.fetch_add(1);
  }
  watched.before = now;
  now.sa_handler = &on_interrupt;
  sigaction(SIGINT, &now, nullptr);
  active_ = true;
}

bool CancelOnInterrupt::is_interrupted() const { return active_ && watch().interrupted.load() == watch().run.load(); }

CancelOnInterrupt::~CancelOnInterrupt() {
  if (!active_) return;
  sigaction(SIGINT, &watch().before, nullptr);
  const std::lock_guard lock(watch().mutex);
  watch().session = nullptr;
}

}  // namespace nestrt::python
