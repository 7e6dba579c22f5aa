// SPDX-License-Identifier: Apache-2.0
// Threads of the library block all signals, but a signal handler implements the registers of emulated boards
// (register_window.h): this keeps SIGSEGV unblocked.
#include <dlfcn.h>
#include <signal.h>

extern "C" int pthread_sigmask(int how, const sigset_t* mask, sigset_t* before) {
  using Function = int(int, const sigset_t*, sigset_t*);
  static auto* const next = reinterpret_cast<Function*>(dlsym(RTLD_NEXT, "pthread_sigmask"));
  sigset_t kept;
  if (mask != nullptr) {
    kept = *mask;
    if (how != SIG_UNBLOCK) sigdelset(&kept, SIGSEGV);
    mask = &kept;
  }
  return next(how, mask, before);
}
