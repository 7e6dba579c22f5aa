// What a process holds: looked at before and after, it shows what leaks.
#pragma once

#include <cstddef>

namespace nestrt::test {

struct Footprint {
  size_t resident_bytes = 0;  // of its memory, as the kernel counts it
  size_t heap_bytes = 0;      // allocated and not freed; 0 where a sanitizer has another allocator
  size_t descriptors = 0;
  size_t threads = 0;
  size_t maps = 0;  // areas of its address space

  // Of this process, now (Linux: /proc/self).
  static Footprint now();
};

// All threads allocate from one area. By default each has its own, which keeps what was freed in it: resident memory
// grows for an hour although nothing leaks. To be called before any other thread exists.
void use_one_allocation_area();

}  // namespace nestrt::test
