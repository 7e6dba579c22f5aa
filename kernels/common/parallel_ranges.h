// Splits loops over the threads of a ParallelRunner.
#pragma once

#include <cstdint>

#include "nestrt/parallel.h"

namespace nestrt::kernels {

// Work below this many elements costs more to hand to another thread than to do.
inline constexpr int64_t kTaskElements = 16 * 1024;

// Calls body(first, last) for ranges that cover [0, count). `item_elements` is the work of one item, in elements:
// small loops stay on the caller. The split depends on the number of threads, so items must be independent.
// Not a template: the loops of all kernels would be compiled twice each, with this around them.
void parallel_ranges(ParallelRunner& runner, int64_t count, int64_t item_elements,
                     FunctionRef<void(int64_t first, int64_t last)> body);

}  // namespace nestrt::kernels
