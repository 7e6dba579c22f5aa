// SPDX-License-Identifier: Apache-2.0
// Prefetches a cache line with a dummy load. An in-order core stalls only when it uses the loaded value, and unlike a
// prefetch hint, a load trains the hardware prefetcher. Requires: readable memory.
#pragma once

namespace nestrt::kernels {

inline void prefetch_line(const float* line) {
#if defined(__aarch64__)
  __asm__ volatile("ldr wzr, [%0]" : : "r"(line));
#else
  (void)line;
#endif
}

}  // namespace nestrt::kernels
