// SPDX-License-Identifier: Apache-2.0
#include "test/support/process/allocation_counter.h"

#include <atomic>

#include "test/support/process/allocation_hook.h"
#include "test/support/process/thread_states.h"

namespace nestrt::test {
namespace {

std::atomic<int64_t> g_count{0}, g_bytes{0};

}  // namespace

AllocationCounter::AllocationCounter() {
  set_allocation_hook(nullptr);  // installs the hook if necessary
  others_fall_asleep();          // a sanitizer allocates while a thread starts
  g_count = g_bytes = 0;
  set_allocation_hook([](void*, size_t size) {
    g_count.fetch_add(1, std::memory_order_relaxed);
    g_bytes.fetch_add(static_cast<int64_t>(size), std::memory_order_relaxed);
  });
}

AllocationCounter::~AllocationCounter() { set_allocation_hook(nullptr); }

int64_t AllocationCounter::count() const { return g_count; }
int64_t AllocationCounter::bytes() const { return g_bytes; }

}  // namespace nestrt::test
