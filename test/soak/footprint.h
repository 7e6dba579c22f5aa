// SPDX-License-Identifier: Apache-2.0
// The resources of a process. Comparing two footprints shows leaks.
#pragma once

#include <cstddef>

namespace nestrt::test {

struct Footprint {
  size_t resident_bytes = 0;  // resident memory according to the kernel
  size_t heap_bytes = 0;      // allocated and not freed; 0 if a sanitizer replaces the allocator
  size_t descriptors = 0;
  size_t threads = 0;
  size_t maps = 0;  // mappings of its address space

  // Returns the footprint of this process (Linux: /proc/self).
  static Footprint now();
};

// Makes all threads allocate from one area. By default each thread has its own area, which keeps freed memory, so that
// resident memory grows for an hour without a leak. Call it before any other thread exists.
void use_one_allocation_area();

}  // namespace nestrt::test
