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
  // Neither joined nor detached: of a thread that does not exist, both are undefined. The number is forgotten.
  new (&thread_) std::thread;
}

}  // namespace nestrt
