// SPDX-License-Identifier: Apache-2.0
#include "test/support/process/allocation_hook.h"

#include <atomic>
#include <cerrno>

namespace {

std::atomic<nestrt::test::AllocationHook> g_hook{nullptr};

void call_hook(void* block, size_t bytes) {
  const auto hook = g_hook.load(std::memory_order_acquire);
  if (hook != nullptr) hook(block, bytes);
}

}  // namespace

#ifdef NESTRT_SANITIZED

extern "C" int __sanitizer_install_malloc_and_free_hooks(void (*on_malloc)(const volatile void*, size_t),
                                                         void (*on_free)(const volatile void*));

namespace {

// A hook cannot determine which function allocates. AddressSanitizer clears calloc() blocks after calling the hook,
// except blocks from the system, which are larger than this and already zero. ThreadSanitizer clears all of them
// before.
#if __has_feature(thread_sanitizer)
constexpr size_t kMaxWritable = 0;
#else
constexpr size_t kMaxWritable = size_t{1} << 17;
#endif

void install_hooks() {
  static const int installed = __sanitizer_install_malloc_and_free_hooks(
      [](const volatile void* block, size_t bytes) {
        call_hook(bytes <= kMaxWritable ? const_cast<void*>(block) : nullptr, bytes);
      },
      [](const volatile void*) {});
  static_cast<void>(installed);
}

constexpr bool kCanBeFilled = kMaxWritable > 0;

}  // namespace

#else

// The C library's names for the interposed functions.
extern "C" {
void* __libc_malloc(size_t bytes);
void* __libc_calloc(size_t count, size_t bytes);
void* __libc_realloc(void* block, size_t bytes);
void* __libc_memalign(size_t alignment, size_t bytes);

void* malloc(size_t bytes) {
  void* const block = __libc_malloc(bytes);
  call_hook(block, bytes);
  return block;
}
void* calloc(size_t count, size_t bytes) {
  call_hook(nullptr, bytes);
  return __libc_calloc(count, bytes);
}
void* realloc(void* block, size_t bytes) {
  call_hook(nullptr, bytes);
  return __libc_realloc(block, bytes);
}
void* memalign(size_t alignment, size_t bytes) {
  void* const block = __libc_memalign(alignment, bytes);
  call_hook(block, bytes);
  return block;
}
void* aligned_alloc(size_t alignment, size_t bytes) { return memalign(alignment, bytes); }
int posix_memalign(void** block, size_t alignment, size_t bytes) {
  *block = memalign(alignment, bytes);
  return *block != nullptr ? 0 : ENOMEM;
}
}

namespace {

void install_hooks() {}

constexpr bool kCanBeFilled = true;

}  // namespace

#endif

namespace nestrt::test {

bool allocations_can_be_filled() { return kCanBeFilled; }

void set_allocation_hook(AllocationHook hook) {
  install_hooks();
  g_hook.store(hook, std::memory_order_release);
}

}  // namespace nestrt::test
