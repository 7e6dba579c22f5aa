#include "test/fuzz/allocation_fill.h"

#include <sanitizer/allocator_interface.h>

#include <algorithm>
#include <atomic>
#include <cstring>

namespace nestrt::test {
namespace {

constexpr int kNone = -1;
// What is larger comes from the system as zeros, and calloc() relies on that.
constexpr size_t kMostFilled = size_t{1} << 17;

std::atomic<int> fill = kNone;

void on_allocation(const volatile void* block, size_t size) {
  const int value = fill.load(std::memory_order_relaxed);
  if (value != kNone && block != nullptr && size <= kMostFilled) std::memset(const_cast<void*>(block), value, size);
}

void on_release(const volatile void*) {}

}  // namespace

AllocationFill::AllocationFill(std::byte value) {
  static const int installed = __sanitizer_install_malloc_and_free_hooks(on_allocation, on_release);
  static_cast<void>(installed);
  fill = std::to_integer<int>(value);
}

AllocationFill::~AllocationFill() { fill = kNone; }

}  // namespace nestrt::test
