// BlockedSignals: threads that are started while it lives get no signals: those are for the application's threads.
#pragma once

#include <pthread.h>
#include <signal.h>

namespace nestrt {

// Of the calling thread; restores its mask when it goes.
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

}  // namespace nestrt
