// SPDX-License-Identifier: Apache-2.0
// Threads of the library block all signals, but a signal handler implements the registers of emulated boards
// (register_window.h): this keeps SIGSEGV unblocked.
#include <signal.h>

#include <cerrno>

// Does not use dlsym(), which statically linked programs lack. For the C library both functions are the same, except
// for how they report errors.
extern "C" int pthread_sigmask(int how, const sigset_t* mask, sigset_t* before) {
  sigset_t kept;
  if (mask != nullptr) {
    kept = *mask;
    if (how != SIG_UNBLOCK) sigdelset(&kept, SIGSEGV);
    mask = &kept;
  }
  return sigprocmask(how, mask, before) == 0 ? 0 : errno;
}
