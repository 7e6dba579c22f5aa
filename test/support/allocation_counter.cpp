#include "test/support/allocation_counter.h"

#include <atomic>
#include <cerrno>
#include <cstddef>

#include "test/support/thread_states.h"

namespace {

std::atomic<bool> g_counting{false};
std::atomic<int64_t> g_count{0};

void note_allocation() {
  if (g_counting.load(std::memory_order_relaxed)) g_count.fetch_add(1, std::memory_order_relaxed);
}

}  // namespace

#ifdef NESTRT_SANITIZED

extern "C" int __sanitizer_install_malloc_and_free_hooks(void (*on_malloc)(const volatile void*, size_t),
                                                         void (*on_free)(const volatile void*));

namespace {

void install_hooks() {
  static const int installed = __sanitizer_install_malloc_and_free_hooks(
      [](const volatile void*, size_t) { note_allocation(); }, [](const volatile void*) {});
  static_cast<void>(installed);
}

}  // namespace

#else

// The C library's own names for what is interposed here.
extern "C" {
void* __libc_malloc(size_t bytes);
void* __libc_calloc(size_t count, size_t bytes);
void* __libc_realloc(void* block, size_t bytes);
void* __libc_memalign(size_t alignment, size_t bytes);

void* malloc(size_t bytes) {
  note_allocation();
  return __libc_malloc(bytes);
}
void* calloc(size_t count, size_t bytes) {
  note_allocation();
  return __libc_calloc(count, bytes);
}
void* realloc(void* block, size_t bytes) {
  note_allocation();
  return __libc_realloc(block, bytes);
}
void* memalign(size_t alignment, size_t bytes) {
  note_allocation();
  return __libc_memalign(alignment, bytes);
}
void* aligned_alloc(size_t alignment, size_t bytes) {
  note_allocation();
  return __libc_memalign(alignment, bytes);
}
int posix_memalign(void** block, size_t alignment, size_t bytes) {
  note_allocation();
  *block = __libc_memalign(alignment, bytes);
  return *block != nullptr ? 0 : ENOMEM;
}
}

namespace {

void install_hooks() {}

}  // namespace

#endif

namespace nestrt::test {

AllocationCounter::AllocationCounter() {
  install_hooks();
  others_fall_asleep();  // a sanitizer allocates while a thread starts
  g_count = 0;
  g_counting = true;
}

AllocationCounter::~AllocationCounter() { g_counting = false; }

int64_t AllocationCounter::count() const { return g_count; }

}  // namespace nestrt::test
