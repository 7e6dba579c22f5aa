// SPDX-License-Identifier: Apache-2.0
#include "test/soak/footprint.h"

#include <malloc.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace nestrt::test {
namespace {

size_t entries(const char* folder) {
  return static_cast<size_t>(std::distance(std::filesystem::directory_iterator(folder), {}));
}

size_t resident_memory() {
  std::ifstream pages("/proc/self/statm");
  size_t all = 0, resident = 0;
  pages >> all >> resident;
  return resident * static_cast<size_t>(sysconf(_SC_PAGESIZE));
}

size_t count_lines(const char* path) {
  std::ifstream file(path);
  return static_cast<size_t>(std::count(std::istreambuf_iterator<char>(file), {}, '\n'));
}

}  // namespace

Footprint Footprint::now() {
  // Returns freed memory to the system. Otherwise allocator fragmentation looks like a leak.
  malloc_trim(0);
  const struct mallinfo2 heap = mallinfo2();
  return {resident_memory(), heap.uordblks + heap.hblkhd, entries("/proc/self/fd"), entries("/proc/self/task"),
          count_lines("/proc/self/maps")};
}

void use_one_allocation_area() { mallopt(M_ARENA_MAX, 1); }

}  // namespace nestrt::test
