// The copies of conv.s8.stem16, in one function for every instruction set.
#pragma once

#include <cstdint>

namespace nestrt::kernels {

inline constexpr int64_t kInterleaveSlack = 16;

// to[column * rows + row] = from[row * from_stride + column]. `from_stride` and `columns` are multiples of 16. May
// write kInterleaveSlack bytes of anything behind the last element.
using S8InterleaveFunction = void (*)(const int8_t* from, int64_t from_stride, int64_t rows, int64_t columns,
                                      int8_t* to);
// The implementation for the current instruction set.
S8InterleaveFunction s8_interleave_function();

}  // namespace nestrt::kernels
