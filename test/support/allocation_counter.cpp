#include "test/support/allocation_counter.h"

#include <atomic>

#include "test/support/allocation_hook.h"
#include "test/support/thread_states.h"

namespace nestrt::test {
namespace {

std::atomic<int64_t> g_count{0};

}  // namespace

AllocationCounter::AllocationCounter() {
  set_allocation_hook(nullptr);  // which may have to be installed
  others_fall_asleep();          // a sanitizer allocates while a thread starts
  g_count = 0;
  set_allocation_hook([](void*, size_t) { g_count.fetch_add(1, std::memory_order_relaxed); });
}

AllocationCounter::~AllocationCounter() { set_allocation_hook(nullptr); }

int64_t AllocationCounter::count() const { return g_count; }

}  // namespace nestrt::test
