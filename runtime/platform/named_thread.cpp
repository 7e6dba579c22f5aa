// SPDX-License-Identifier: Apache-2.0
#include "runtime/platform/named_thread.h"

#include <new>

namespace nestrt {

NamedThread& NamedThread::operator=(NamedThread&& other) noexcept {
  join();
  origin_ = other.origin_;
  thread_ = std::move(other.thread_);
  return *this;
}

void NamedThread::join() {
  if (!thread_.joinable()) return;
  if (!origin_.in_child()) return thread_.join();
  // In a child the thread does not exist, so joining and detaching are undefined. Forgets its handle instead.
  new (&thread_) std::thread;
}

}  // namespace nestrt
