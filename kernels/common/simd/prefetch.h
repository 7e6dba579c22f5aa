// Has a cache line come without waiting for it: a load to nowhere. An in-order core goes on until it needs what it has
// loaded, and what it loads, unlike what a hint asks for, trains what fetches ahead. Requires: memory that can be read.
#pragma once

namespace nestrt::kernels {

inline void touch(const float* line) {
#if defined(__aarch64__)
  __asm__ volatile("ldr wzr, [%0]" : : "r"(line));
#else
  (void)line;
#endif
}

}  // namespace nestrt::kernels
