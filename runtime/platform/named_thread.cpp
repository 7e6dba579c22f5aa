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
  // The thread does not exist in a child of fork(), so joining and detaching it are undefined. Discards the handle
  // instead.
  new (&thread_) std::thread;
}

}  // namespace nestrt
