// Splits loops over the threads of a ParallelRunner.
#pragma once

#include <cstdint>

#include "kernels/common/framework/split.h"
#include "nestrt/driver/parallel.h"

namespace nestrt::kernels {

// Work below this many elements costs more to hand to another thread than to do.
inline constexpr int64_t kTaskElements = 16 * 1024;

// Calls body(first, last) for ranges that cover [0, count). `item_elements` is the work of one item, in elements:
// small loops stay on the caller. The split depends on the number of threads, so items must be independent.
// Not a template: the loops of all kernels would be compiled twice each, with this around them.
void parallel_ranges(ParallelRunner& runner, int64_t count, int64_t item_elements,
                     FunctionRef<void(int64_t first, int64_t last)> body);

// How many ranges so many elements are worth.
int64_t range_count(const ParallelRunner& runner, int64_t elements);

// So few rows of a plane, or pixels of rows so long, are a task's at least where others would do.
#if defined(__aarch64__)
inline constexpr int64_t kMinRows = 1 << 20;  // never: the cores of boards share the cache that would hold them
#else
inline constexpr int64_t kMinRows = 7;
#endif

// About `wanted` tasks of planes with `items` each, rows or pixels. A task takes some items of all planes, as
// convolutions before and after are cut along their pixels (kernels/conv/direct_tasks.h): so each core finds what it
// wrote. Or all items of some planes, where a task's share would be less than `least`. Requires: all numbers are
// positive.
void parallel_planes(ParallelRunner& runner, int64_t planes, int64_t items, int64_t wanted, int64_t least,
                     FunctionRef<void(int64_t plane, Range items, int slot)> body);

}  // namespace nestrt::kernels
