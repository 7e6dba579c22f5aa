// SPDX-License-Identifier: Apache-2.0
#include "test/faults/failing_threads.h"

#include <dlfcn.h>
#include <pthread.h>

#include <atomic>
#include <cerrno>
#include <limits>

namespace nestrt::test {
namespace {

constexpr int64_t kNoThread = std::numeric_limits<int64_t>::max();

std::atomic<int64_t> g_first_refused{kNoThread}, g_asked{0};

bool is_out_of_threads() { return g_asked.fetch_add(1) >= g_first_refused.load(); }

}  // namespace

FailingThreads::FailingThreads(int64_t number) {
  g_asked = 0;
  g_first_refused = number;
}

FailingThreads::~FailingThreads() { g_first_refused = kNoThread; }

int64_t FailingThreads::count() const { return g_asked; }

}  // namespace nestrt::test

using Create = int(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);

extern "C" {

// The sanitizer's version, because the sanitizer must track every thread.
__attribute__((weak)) Create __interceptor_pthread_create;

int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*work)(void*), void* argument) noexcept {
  if (nestrt::test::is_out_of_threads()) return EAGAIN;
  Create* const create = __interceptor_pthread_create != nullptr
                             ? &__interceptor_pthread_create
                             : reinterpret_cast<Create*>(::dlsym(RTLD_NEXT, "pthread_create"));
  return create(thread, attributes, work, argument);
}

}  // extern "C"
