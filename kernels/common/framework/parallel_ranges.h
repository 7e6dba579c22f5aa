// SPDX-License-Identifier: Apache-2.0
// Splits loops over the threads of a ParallelRunner.
#pragma once

#include <cstdint>

#include "kernels/common/framework/split.h"
#include "runtime/kernel/parallel.h"

namespace nestrt::kernels {

// Below this many elements, dispatching work to another thread costs more than it saves.
inline constexpr int64_t kTaskElements = 16 * 1024;

// Calls body(first, last) for ranges that cover [0, count). `item_elements`: the work per item in elements; small loops
// run on the calling thread only. The split depends on the number of threads, so items must be independent. A template
// would compile the loop of every kernel twice.
void parallel_ranges(ParallelRunner& runner, int64_t count, int64_t item_elements,
                     FunctionRef<void(int64_t first, int64_t last)> body);

// Returns the number of ranges to split `elements` into.
int64_t range_count(const ParallelRunner& runner, int64_t elements);

// The minimum number of rows of a plane, or pixels of a row, per task, if the work can also be split in another way.
#if defined(__aarch64__)
// disables the split, because the cores of supported boards share the cache
inline constexpr int64_t kMinRows = 1 << 20;
#else
inline constexpr int64_t kMinRows = 7;
#endif

// Runs about `wanted` tasks over planes of `items` rows or pixels each. Each task processes some items of all planes.
// The surrounding convolutions are split along pixels in the same way (kernels/conv/direct_tasks.h), so each core reads
// the data that it wrote. If a task would get fewer than `least` items, it processes all items of some planes instead.
// Requires: all numbers are positive.
void parallel_planes(ParallelRunner& runner, int64_t planes, int64_t items, int64_t wanted, int64_t least,
                     FunctionRef<void(int64_t plane, Range items, int slot)> body);

}  // namespace nestrt::kernels
